// Where the sockets of sessions lie: in the home, in a folder of the user's choice, or where brainwires' own viewer
// looks for them.
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import { brainwiresFolder } from "../../protocols/ipc/agent-paths.ts"
import { usageFault } from "../app-fault.ts"

export function ipcFolder(home: string, { ipc }: Pick<Config, "ipc">): string {
  if (ipc?.brainwires !== true) return ipc?.dir ?? join(home, "sessions")
  if (ipc.dir !== undefined) throw usageFault("ipc.dir and ipc.brainwires name two different folders; keep one of them")
  const folder = brainwiresFolder(process.env, process.platform)
  if (folder === undefined) throw usageFault("ipc.brainwires: this user has no home folder where brainwires would look")
  return folder
}
