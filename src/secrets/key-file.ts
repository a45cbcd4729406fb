// A key file, created once and for its owner alone. Processes that start together get the same key: the file appears
// completely or not at all, and the second process uses it.
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

/** Content of the file, which is created if it does not exist. The folder must exist. */
export function keyFile(file: string, create: () => Uint8Array): Uint8Array {
  try {
    return read(file) ?? createFile(file, create())
  } catch (error) {
    if (error instanceof KeyFileFault || !(error instanceof Error)) throw error
    throw new KeyFileFault(`${file} cannot be read or created (${error.message}). Check the owner of the folder.`, {
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

/** Written aside and linked into place: a link fails if the file exists, a rename would replace it. */
function createFile(file: string, key: Uint8Array): Uint8Array {
  const temporaryFile = `${file}.${randomBytes(6).toString("hex")}`
  const descriptor = openSync(temporaryFile, "wx", ownerOnly)
  try {
    fchmodSync(descriptor, ownerOnly) // regardless of the umask
    writeSync(descriptor, key)
    fsyncSync(descriptor)
    linkUnlessTaken(temporaryFile, file)
  } finally {
    closeSync(descriptor)
    unlinkSync(temporaryFile)
  }
  const found = read(file)
  if (found === undefined) throw new KeyFileFault(`${file} was removed while it was created. Try again.`)
  return found
}

function linkUnlessTaken(temporaryFile: string, file: string): void {
  try {
    linkSync(temporaryFile, file)
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}
