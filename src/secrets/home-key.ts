// The key of a home: 32 random bytes for placeholders of secrets and for digests of hidden arguments. Other keys are
// derived from it. All nodes of a cluster have the same one.
import { randomBytes, hkdfSync, createPrivateKey, type KeyObject } from "node:crypto"
import { join } from "node:path"
import { clusterKeys, type Environment } from "./cluster-keys.ts"
import { keyFile, KeyFileFault } from "./key-file.ts"

const keyBytes = 32

export function homeKeyFile(home: string): string {
  return join(home, "secret.key")
}

/** The home folder must exist. */
export function homeKey(home: string, env: Environment = process.env): Uint8Array {
  const file = homeKeyFile(home)
  const key = keyFile(file, () => clusterKeys(env)?.homeKey ?? randomBytes(keyBytes))
  if (key.length === keyBytes) return key
  throw new KeyFileFault(
    `${file} has ${key.length} bytes, not ${keyBytes}. Restore it from a backup, or delete it to create a new one; pending calls with hidden arguments must then be requested again.`,
  )
}

/** Authenticates the heads of sessions outside the log. */
export function headKey(key: Uint8Array): Uint8Array {
  return derivedKey(key, "turnhouse session heads")
}

/** PKCS #8 header of a 32-byte Ed25519 private key. */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex")

/** The home's Ed25519 key: derived, so that there is one secret to keep, and the same in every process. */
export function signingKey(key: Uint8Array): KeyObject {
  const seed = derivedKey(key, "turnhouse export signature")
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: "der", type: "pkcs8" })
}

function derivedKey(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, Buffer.alloc(0), purpose, keyBytes))
}
