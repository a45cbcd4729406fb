// Single-use codes that sign a browser in as the owner of the home. Stores keep digests, from which no code can be made. No code
// works twice, in any process or on any node.
import { createHash, randomBytes } from "node:crypto"

/** How long a code can be used. */
export const SIGN_IN_MS = 5 * 60_000
const CODE_BYTES = 18

export type Redeemed = "signed-in" | "expired" | "unknown"

/** Both throw `StoreFault` if the store cannot be used. */
export interface SignInCodes {
  create(): Promise<string>
  redeem(code: string): Promise<Redeemed>
}

export function newCode(): string {
  return randomBytes(CODE_BYTES).toString("base64url")
}

export function digestOf(code: string): string {
  return createHash("sha256").update(code).digest("hex")
}
