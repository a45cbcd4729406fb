// One-time codes: what they are, what is kept of them, and how a contact is shown that must not be given away. A code has
// six digits, so its digest says nothing only because its key lies outside the log.
import { createHmac, randomInt, timingSafeEqual } from "node:crypto"
import { readValues } from "../../../../contract/interactions.ts"
import type { VerificationId } from "../../../../contract/ids.ts"
import { textIn } from "../../../../contract/json-object.ts"
import type { CodeChannel, Contact } from "../../../../contract/values.ts"

const digits = 6

export function newCode(): string {
  return randomInt(10 ** digits)
    .toString()
    .padStart(digits, "0")
}

/** What codes are counted by: `jane+shop@example.com` is Jane's mailbox, and letters are the same in both cases. */
export function mailboxOf(channel: CodeChannel, destination: string): string {
  if (channel !== "email") return destination
  const at = destination.lastIndexOf("@")
  const [name = ""] = destination.slice(0, at).split("+", 1)
  return `${name}${destination.slice(at)}`.toLowerCase()
}

/** For this verification and no other: the same code of another one has another digest. */
export function codeDigest(key: Uint8Array, verificationId: VerificationId, code: string): string {
  return createHmac("sha256", key).update(`one-time code\0${verificationId}\0${code}`).digest("hex")
}

/** People write codes with blanks and strokes between the digits. */
export function isCode(key: Uint8Array, given: string, verificationId: VerificationId, digest: string): boolean {
  const actual = Buffer.from(codeDigest(key, verificationId, given.replaceAll(/[\s-]/g, "")))
  const expected = Buffer.from(digest)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const memberOf = { email: "email", sms: "phone" } as const satisfies Record<CodeChannel, keyof Contact>

/**
 * Where a code goes in this way, in the spelling that all others are compared by; nothing where it cannot. Visitors
 * say what they like of themselves: an address that a mail program would take for several, or for a header, is none.
 */
export function destinationOf(channel: CodeChannel, contact: Contact): string | undefined {
  const member = memberOf[channel]
  const read = readValues("identity_intake", undefined, { [member]: contact[member] })
  const address = read.kind === "ok" ? textIn(read.value, member) : undefined
  if (address === undefined || channel === "sms") return address
  return address.length <= longestAddress && plainAddress.test(address) ? address : undefined
}

const longestAddress = 254
const plainAddress = /^[^\s@<>()[\]{},;:\\"|\p{Cc}]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u

/** What is proved by a code that went this way. */
export function provedBy(channel: CodeChannel, destination: string): Pick<Contact, "email" | "phone"> {
  return channel === "email" ? { email: destination } : { phone: destination }
}

/** Enough for its owner to know it by. */
export function masked(channel: CodeChannel, destination: string): string {
  if (channel === "sms") return `${destination.slice(0, 2)}…${destination.slice(-2)}`
  const [first = ""] = destination
  return `${first}…${destination.slice(destination.lastIndexOf("@"))}`
}
