// The owner's key of a home, which permits everything. Share links are signed with it, so deleting the file revokes all
// of them.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { KeyFileFault, keyFile } from "../../secrets/key-file.ts"
import { AppFault } from "../app-fault.ts"

/** Created when it is first needed. */
export function consoleKey(home: string): string {
  const file = join(home, "console.key")
  const key = Buffer.from(written(file)).toString("utf8").trim()
  if (/^[A-Za-z0-9_-]{43}$/.test(key)) return key
  throw new AppFault(`${file} does not contain a key. Delete it to create a new one; this revokes all share links.`)
}

function written(file: string): Uint8Array {
  try {
    return keyFile(file, () => Buffer.from(`${randomBytes(32).toString("base64url")}\n`))
  } catch (fault) {
    if (fault instanceof KeyFileFault) throw new AppFault(fault.message)
    throw fault
  }
}
