// A limit on the size of files (RLIMIT_FSIZE) of the running log writer, which is lifted again.
import { execFileSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { isAlive, pidIn, placeOf, readLink } from "../../../../log-writer/place.ts"
import type { OpenRig } from "./rig.ts"

/** Bytes that the write-ahead log may still grow, at most. */
const MAX_GROWTH = 48 * 1024

export const fileLimit: OpenRig = async ({ home: { workspace }, below }) => {
  const database = join(workspace.home, "turnhouse.db")
  return {
    under: [],
    home: workspace.home,
    isByItself: false,
    killsSoon: false,
    begin: () => {
      const size = statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0
      limitFiles(database, String(below(size + MAX_GROWTH)))
    },
    end: () => limitFiles(database, "unlimited"),
    failedCalls: () => 0,
    settle: async () => 0,
    close: async () => {},
  }
}

/** A writer that is started later has no limit. */
function limitFiles(database: string, bytes: string): void {
  const name = readLink(placeOf(database).current)
  if (name !== undefined && isAlive(name)) limitPid(pidIn(name), bytes)
}

export function limitPid(pid: number, bytes: string): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`], { stdio: "pipe" })
}
