// Starts a process of another agent, which ends with the run.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { mkdirSync } from "node:fs"
import type { LineStream } from "../doors/clients/line-client.ts"
import { lineStream } from "../doors/contender.ts"
import { RunningProcess } from "../doors/running-process.ts"
import type { World } from "../doors/world.ts"

export interface SpawnedPeer {
  readonly child: ChildProcessWithoutNullStreams
  readonly process: RunningProcess
  readonly stop: () => Promise<void>
}

/** Without the settings and keys of the user: its home is `home`. */
export function spawnPeer(
  world: World,
  home: string,
  [command, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): SpawnedPeer {
  mkdirSync(home, { recursive: true })
  const all = { ...world.env(home), HOME: home, ...env }
  const child = spawn(command, args, { cwd: world.folder, env: all, stdio: "pipe" })
  const process = new RunningProcess(child, `TURNHOUSE_HOME=${home}`)
  return { child, process, stop: world.watch(child, process) }
}

export function peerStream({ stdin, stdout }: ChildProcessWithoutNullStreams): LineStream {
  return lineStream(stdin, stdout, () => {})
}
