// One-time codes: issued within the quota, checked, and held in memory only until they are sent. A code has six digits,
// so its digest is safe to store only because the key is outside the log.
import { createHmac, randomInt, timingSafeEqual } from "node:crypto"
import type { EventOf } from "../../../../contract/events.ts"
import type { VerificationId, VisitId } from "../../../../contract/ids.ts"
import { textIn } from "../../../../contract/json-object.ts"
import { limits } from "../../../../contract/limits.ts"
import { readValues } from "../../../../contract/rules/interactions.ts"
import type { CodeChannel, Contact } from "../../../../contract/values.ts"
import type { CodeQuota } from "../store/code-quota.ts"

/** How a session issues and checks codes. */
export interface CodeService {
  /** `park`: the call waits for the code. `after`: it is refused, and the visitor asks again once verified. */
  readonly mode: "after" | "park"
  /** The channels that reach this contact, the preferred first. */
  channels(contact: Contact): readonly CodeChannel[]
  /** A new code that is not sent yet; undefined if the quota is used up. Throws if the quota cannot be read. */
  issue(request: CodeRequest): Promise<IssuedCode | undefined>
  isCode(code: string, verificationId: VerificationId, digest: string): boolean
}

interface CodeRequest {
  readonly verificationId: VerificationId
  readonly visitId: VisitId
  readonly org: string
  /** Absent in visits of older releases. */
  readonly caller?: string | undefined
  readonly channel: CodeChannel
  readonly contact: Contact
  readonly at: number
}

/** What is stored about a code, and how to send it. Only `deliver` knows the code. */
export interface IssuedCode extends Omit<EventOf<"verification.prepared">, "type" | "verificationId"> {
  readonly deliver: () => Promise<void>
}

export interface OutgoingCode {
  readonly channel: CodeChannel
  readonly destination: string
  readonly code: string
  readonly minutes: number
}

export interface CodeIssuerOptions {
  readonly mode: CodeService["mode"]
  readonly key: Uint8Array
  readonly quota: CodeQuota
  /** Available channels, the preferred first. */
  readonly channels: readonly CodeChannel[]
  readonly send: (sent: OutgoingCode) => Promise<void>
}

export function codeIssuer({ mode, key, quota, channels, send }: CodeIssuerOptions): CodeService {
  return {
    mode,
    channels: (contact) => channels.filter((channel) => destinationOf(channel, contact) !== undefined),
    issue: async ({ verificationId, visitId, org, caller, channel, contact, at }) => {
      const to = destinationOf(channel, contact)
      if (to === undefined) return undefined
      if (!(await quota.take({ mailbox: mailboxOf(channel, to), visitId, org, caller }, at))) return undefined
      const code = createCode()
      return {
        contact: provenContact(channel, to),
        channel,
        destination: maskDestination(channel, to),
        digest: digestCode(key, verificationId, code),
        attemptsLeft: limits.codeAttempts,
        expiresAt: at + limits.codeMs,
        deliver: () => send({ channel, destination: to, code, minutes: limits.codeMs / 60_000 }),
      }
    },
    isCode: (code, verificationId, digest) => isCode(key, code, verificationId, digest),
  }
}

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
export function isCode(key: Uint8Array, code: string, verificationId: VerificationId, digest: string): boolean {
  const actual = Buffer.from(digestCode(key, verificationId, code.replaceAll(/[\s-]/g, "")))
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
