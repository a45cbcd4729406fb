// The key of this home: 32 random bytes that mark secrets in placeholders and prove arguments that may not be stored.
// It is made once. Two processes that start together end up with the same key: the file appears whole or not at all,
// and whoever comes second takes the one that is there.
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
import { join } from "node:path"

const keyBytes = 32
const ownerOnly = 0o600

export class HomeKeyFault extends Error {
  override readonly name = "HomeKeyFault"
}

/** The home folder must exist. */
export function homeKey(home: string): Uint8Array {
  const file = join(home, "secret.key")
  try {
    return readKey(file) ?? makeKey(file)
  } catch (error) {
    if (error instanceof HomeKeyFault || !(error instanceof Error)) throw error
    throw new HomeKeyFault(`${file} cannot be read or made (${error.message}); check who owns the folder.`, {
      cause: error,
    })
  }
}

function readKey(file: string): Uint8Array | undefined {
  const descriptor = openIfThere(file)
  if (descriptor === undefined) return undefined
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, ownerOnly)
    const key = readFileSync(descriptor)
    if (key.length === keyBytes) return key
    throw new HomeKeyFault(
      `${file} has ${key.length} bytes, not ${keyBytes}. Restore it from a backup, or delete it to get a new one; calls that wait with hidden arguments must then be asked for again.`,
    )
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
function makeKey(file: string): Uint8Array {
  const aside = `${file}.${randomBytes(6).toString("hex")}`
  const descriptor = openSync(aside, "wx", ownerOnly)
  try {
    fchmodSync(descriptor, ownerOnly) // whatever the umask took away
    writeSync(descriptor, randomBytes(keyBytes))
    fsyncSync(descriptor)
    linkUnlessTaken(aside, file)
  } finally {
    closeSync(descriptor)
    unlinkSync(aside)
  }
  const key = readKey(file)
  if (key === undefined) throw new HomeKeyFault(`${file} was removed while it was being made; start again.`)
  return key
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
