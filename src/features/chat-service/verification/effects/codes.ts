// One-time codes: creation, digest, destination and masking. A code has six digits, so the digest is safe to store only
// because its key is outside the log.
import { createHmac, randomInt, timingSafeEqual } from "node:crypto"
import { readValues } from "../../../../contract/rules/interactions.ts"
import type { VerificationId } from "../../../../contract/ids.ts"
import { textIn } from "../../../../contract/json-object.ts"
import type { CodeChannel, Contact } from "../../../../contract/values.ts"

const DIGITS = 6

export function createCode(): string {
  return randomInt(10 ** DIGITS)
    .toString()
    .padStart(DIGITS, "0")
}

/** Codes are counted per mailbox: `Jane+shop@example.com` is `jane@example.com`. */
export function mailboxOf(channel: CodeChannel, destination: string): string {
  if (channel !== "email") return destination
  const at = destination.lastIndexOf("@")
  const [name = ""] = destination.slice(0, at).split("+", 1)
  return `${name}${destination.slice(at)}`.toLowerCase()
}

/** Bound to the verification: the same code has another digest in another one. */
export function digestCode(key: Uint8Array, verificationId: VerificationId, code: string): string {
  return createHmac("sha256", key).update(`one-time code\0${verificationId}\0${code}`).digest("hex")
}

/** Ignores blanks and hyphens between the digits. */
export function isCode(key: Uint8Array, given: string, verificationId: VerificationId, digest: string): boolean {
  const actual = Buffer.from(digestCode(key, verificationId, given.replaceAll(/[\s-]/g, "")))
  const expected = Buffer.from(digest)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const memberOf = { email: "email", sms: "phone" } as const satisfies Record<CodeChannel, keyof Contact>

/**
 * The normalised destination, or undefined if this channel cannot reach the contact. Contacts come from visitors: an
 * address that a mail server would read as several addresses or as a header is refused.
 */
export function destinationOf(channel: CodeChannel, contact: Contact): string | undefined {
  const member = memberOf[channel]
  const read = readValues("identity_intake", undefined, { [member]: contact[member] })
  const address = read.kind === "ok" ? textIn(read.value, member) : undefined
  if (address === undefined || channel === "sms") return address
  return address.length <= MAX_ADDRESS_LENGTH && plainAddress.test(address) ? address : undefined
}

const MAX_ADDRESS_LENGTH = 254
const plainAddress = /^[^\s@<>()[\]{},;:\\"|\p{Cc}]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u

/** What a code sent to this destination proves. */
export function provenContact(channel: CodeChannel, destination: string): Pick<Contact, "email" | "phone"> {
  return channel === "email" ? { email: destination } : { phone: destination }
}

/** Recognisable for its owner only. */
export function maskDestination(channel: CodeChannel, destination: string): string {
  if (channel === "sms") return `${destination.slice(0, 2)}…${destination.slice(-2)}`
  const [first = ""] = destination
  return `${first}…${destination.slice(destination.lastIndexOf("@"))}`
}
