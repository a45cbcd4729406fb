// The newest release that has written a log, in a file beside it: an older release names it when it refuses the log.
import { readFileSync, writeFileSync } from "node:fs"
import { isNewer } from "../../program/release.ts"

/** Undefined before the first write, and where the file is damaged. */
export function writingRelease(database: string): string | undefined {
  try {
    return /^\d+\.\d+\.\d+[\w.+-]{0,64}$/.exec(readFileSync(noteOf(database), "utf8").trim())?.[0]
  } catch {
    return undefined
  }
}

/** Nothing but a message depends on the file, so a full disk is no reason to fail. */
export function noteRelease(database: string, release: string): void {
  if (!isNewer(release, writingRelease(database))) return
  try {
    writeFileSync(noteOf(database), `${release}\n`, { mode: 0o600 })
  } catch {
    return
  }
}

function noteOf(database: string): string {
  return `${database}-release`
}
