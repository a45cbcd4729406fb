// The key of the owner of this home: whoever has it may do everything that the owner may. Links are signed with it, so
// taking the file away calls all of them back.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { KeyFileFault, keyFile } from "../../secrets/key-file.ts"
import { AppFault } from "../app-fault.ts"
import { exitCodes } from "../exit-codes.ts"

/** Made when it is first needed. */
export function consoleKey(home: string): string {
  const file = join(home, "console.key")
  const key = Buffer.from(written(file)).toString("utf8").trim()
  if (/^[A-Za-z0-9_-]{43}$/.test(key)) return key
  throw new AppFault(`${file} holds no key; delete it to get a new one, which calls all links back`, exitCodes.failed)
}

function written(file: string): Uint8Array {
  try {
    return keyFile(file, () => Buffer.from(`${randomBytes(32).toString("base64url")}\n`))
  } catch (fault) {
    if (fault instanceof KeyFileFault) throw new AppFault(fault.message, exitCodes.failed)
    throw fault
  }
}
