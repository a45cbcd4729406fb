// A server process in a home of a proof, with the configuration that the proof needs.
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Workspace } from "../../demo/workspace.ts"
import { serverUrl } from "../../serve/server-note.ts"
import type { Step } from "../../../models/offline/part.ts"
import { HostProcess } from "../host-process.ts"
import type { ProofFolder } from "../run-proof.ts"

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

/** A home with a configuration, before its server is started. */
export function proofHome({ root, cache }: ProofFolder, name: string): Workspace {
  mkdirSync(join(root, name))
  const workspace = new Workspace(join(root, name))
  mkdirSync(workspace.path("folder"))
  symlinkSync(cache, workspace.path("home/cache"))
  return workspace
}

/** The model that says what the script tells it, at once. */
export function scriptModel(workspace: Workspace, steps: readonly Step[]): string {
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
