// The key of a home: 32 random bytes for placeholders of secrets and for digests of hidden arguments.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { keyFile, KeyFileFault } from "./key-file.ts"

const keyBytes = 32

export function homeKeyFile(home: string): string {
  return join(home, "secret.key")
}

/** The home folder must exist. */
export function homeKey(home: string): Uint8Array {
  const file = homeKeyFile(home)
  const key = keyFile(file, () => randomBytes(keyBytes))
  if (key.length === keyBytes) return key
  throw new KeyFileFault(
    `${file} has ${key.length} bytes, not ${keyBytes}. Restore it from a backup, or delete it to create a new one; pending calls with hidden arguments must then be requested again.`,
  )
}
