// The key of this home: 32 random bytes that mark secrets in placeholders and prove arguments that may not be stored.
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
    `${file} has ${key.length} bytes, not ${keyBytes}. Restore it from a backup, or delete it to get a new one; calls that wait with hidden arguments must then be asked for again.`,
  )
}
