// A server process in a home of a proof, with the configuration that the proof needs.
import { setTimeout as sleep } from "node:timers/promises"
import type { Workspace } from "../../demo/workspace.ts"
import { serverUrl } from "../../serve/server-note.ts"
import type { Step } from "../../../models/offline/part.ts"
import { HostProcess } from "../host-process.ts"

export interface ProofServer {
  readonly workspace: Workspace
  readonly process: HostProcess
  /** `ws://HOST:PORT` */
  readonly url: string
  /** Leaves no process behind; the folder stays. */
  close(): Promise<void>
}

const LOOK_MS = 20
const START_MS = 60_000

/** For proofs that send more than a server would accept. */
export const proofLimits = { framesPerSecond: 1e6, sessionsPerHour: 1e9, connections: 1000, sockets: 1000 }
/** Of one conversation. */
const MAX_ANSWERS = 1000

/** A model that gives the same answer again and again, at once. */
export function repeatingModel(workspace: Workspace, text: string): string {
  const steps: readonly Step[] = Array.from({ length: MAX_ANSWERS }, () => [{ text }])
  return `offline/script:${workspace.writeJson("script.json", { delayMs: 0, steps })}`
}

export async function startServer(
  workspace: Workspace,
  config: Readonly<Record<string, unknown>>,
): Promise<ProofServer> {
  workspace.writeJson("home/config.json", config)
  const server = HostProcess.start(workspace, ["serve", "--port", "0", "--quiet"])
  const close = async () => {
    server.signal("SIGKILL")
    await server.exited
    await workspace.close(true)
  }
  try {
    const url = (await addressOf(workspace, server)).replace(/^http/, "ws")
    return { workspace, process: server, url, close }
  } catch (fault) {
    await close()
    throw fault
  }
}

async function addressOf({ home }: Workspace, server: HostProcess): Promise<string> {
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const url = serverUrl(home)
    if (url !== undefined) return url
    if (server.exit !== undefined) break
  }
  throw new Error("the server did not start; output.log in its folder says why")
}
