// Folder of the session sockets: in the home, as configured, or where brainwires' own viewer looks.
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import { brainwiresFolder } from "../../protocols/ipc/agent-paths.ts"
import { usageFault } from "../app-fault.ts"

export function ipcFolder(home: string, { ipc }: Pick<Config, "ipc">): string {
  if (ipc?.brainwires !== true) return ipc?.dir ?? join(home, "sessions")
  if (ipc.dir !== undefined) throw usageFault("ipc.dir and ipc.brainwires name different folders. Remove one of them.")
  const folder = brainwiresFolder(process.env, process.platform)
  if (folder === undefined) throw usageFault("ipc.brainwires: this user has no home folder. Set HOME, or use ipc.dir.")
  return folder
}
