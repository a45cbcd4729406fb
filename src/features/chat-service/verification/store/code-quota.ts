// Limits codes per hour by mailbox, visit, caller and organisation, so that neither a restart nor another conversation
// allows more guesses. Stores keep HMACs, no contacts.
import { createHmac } from "node:crypto"
import { limits } from "../../../../contract/limits.ts"

export interface QuotaRequest {
  /** The mailbox or phone number that receives the code. */
  readonly mailbox: string
  /** Digest of the visitor's account or address, if known. */
  readonly caller?: string | undefined
  readonly visitId: string
  readonly org: string
}

export interface CodeQuota {
  /** True if one more code may be issued; it is then counted. Throws if the store cannot be used: then none may. */
  take(request: QuotaRequest, at: number): Promise<boolean>
  close(): Promise<void>
}

/** What a code counts for. */
export interface Tally {
  /** A keyed digest. */
  readonly name: string
  readonly limit: number
}

export const quotaMs = 60 * 60 * 1000

export function talliesOf({ mailbox, visitId, org, caller }: QuotaRequest, key: Uint8Array): readonly Tally[] {
  const name = (kind: string, value: string) =>
    createHmac("sha256", key).update(`code tally\0${kind}\0${value}`).digest("base64url")
  return [
    { name: name("contact", mailbox), limit: limits.codesPerContact },
    ...(caller === undefined ? [] : [{ name: name("caller", caller), limit: limits.codesPerCaller }]),
    { name: name("visit", visitId), limit: limits.codesPerVisit },
    { name: name("org", org), limit: limits.codesPerOrg },
  ]
}
