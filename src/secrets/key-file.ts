// A file with a key, made once and for its owner alone. Two processes that start together end up with the same key: the
// file appears whole or not at all, and whoever comes second takes the one that is there.
import { randomBytes } from "node:crypto"
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs"

const ownerOnly = 0o600

export class KeyFileFault extends Error {
  override readonly name = "KeyFileFault"
}

/** What the file holds, which is made if it is not there. The folder must exist. */
export function keyFile(file: string, make: () => Uint8Array): Uint8Array {
  try {
    return read(file) ?? made(file, make())
  } catch (error) {
    if (error instanceof KeyFileFault || !(error instanceof Error)) throw error
    throw new KeyFileFault(`${file} cannot be read or made (${error.message}); check who owns the folder.`, {
      cause: error,
    })
  }
}

function read(file: string): Uint8Array | undefined {
  const descriptor = openIfThere(file)
  if (descriptor === undefined) return undefined
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, ownerOnly)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r")
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  }
}

/** Written aside and linked into place: a link fails when the name is taken, a rename would replace the other's key. */
function made(file: string, key: Uint8Array): Uint8Array {
  const aside = `${file}.${randomBytes(6).toString("hex")}`
  const descriptor = openSync(aside, "wx", ownerOnly)
  try {
    fchmodSync(descriptor, ownerOnly) // whatever the umask took away
    writeSync(descriptor, key)
    fsyncSync(descriptor)
    linkUnlessTaken(aside, file)
  } finally {
    closeSync(descriptor)
    unlinkSync(aside)
  }
  const found = read(file)
  if (found === undefined) throw new KeyFileFault(`${file} was removed while it was being made; start again.`)
  return found
}

function linkUnlessTaken(aside: string, file: string): void {
  try {
    linkSync(aside, file)
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}
