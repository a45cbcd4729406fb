// Replaces a small file of the home as a whole, for its owner alone: a reader gets the old text or the new one, and a crash
// leaves one of them.
import { randomBytes } from "node:crypto"
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"

/** Mode of files that only their owner may read. */
export const ownerOnly = 0o600

export function replaceOwnFile(file: string, text: string): void {
  const aside = `${file}.${randomBytes(6).toString("hex")}`
  const descriptor = openSync(aside, "wx", ownerOnly)
  try {
    fchmodSync(descriptor, ownerOnly) // regardless of the umask
    writeSync(descriptor, text)
    fsyncSync(descriptor)
    renameSync(aside, file)
  } catch (fault) {
    rmSync(aside, { force: true })
    throw fault
  } finally {
    closeSync(descriptor)
  }
}
