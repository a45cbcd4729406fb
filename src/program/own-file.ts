// Small files of the home for their owner alone. One is replaced as a whole: a reader gets the old text or the new one, and
// a crash leaves one of them.
import { randomBytes } from "node:crypto"
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs"

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

export type OwnText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "too-long" }
  | { readonly kind: "unreadable"; readonly cause: unknown }

/** Permissions that others could use are corrected. */
export function readOwnFile(file: string, maxBytes: number): OwnText {
  let descriptor
  try {
    descriptor = openSync(file, "r")
    const { mode, size } = fstatSync(descriptor)
    if ((mode & 0o077) !== 0) fchmodSync(descriptor, ownerOnly)
    if (size > maxBytes) return { kind: "too-long" }
    return { kind: "text", text: readFileSync(descriptor, "utf8") }
  } catch (cause) {
    const isAbsent = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    return isAbsent ? { kind: "absent" } : { kind: "unreadable", cause }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
