// The key that authenticates the heads of sessions outside the log, derived from the home key.
import { hkdfSync } from "node:crypto"

export function headKey(homeKey: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", homeKey, Buffer.alloc(0), "turnhouse session heads", 32))
}
