// The home's Ed25519 key, derived from the home key: one secret to keep, and the same signature from every process.
import { createPrivateKey, hkdfSync, type KeyObject } from "node:crypto"

/** PKCS #8 header of a 32-byte Ed25519 private key. */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex")

export function signingKey(homeKey: Uint8Array): KeyObject {
  const seed = hkdfSync("sha256", homeKey, Buffer.alloc(0), "turnhouse export signature", 32)
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, Buffer.from(seed)]), format: "der", type: "pkcs8" })
}
