// Issues one-time codes within the quota. A code exists only in memory, until it is sent.
import type { CodeRequest, CodeService, IssuedCode } from "../code-service.ts"
import type { VerificationId } from "../../../../contract/ids.ts"
import { limits } from "../../../../contract/limits.ts"
import type { CodeChannel, Contact } from "../../../../contract/values.ts"
import { digestCode, destinationOf, isCode, mailboxOf, maskDestination, createCode, provenContact } from "./codes.ts"
import type { CodeQuota } from "../store/code-quota.ts"

export interface OutgoingCode {
  readonly channel: CodeChannel
  readonly destination: string
  readonly code: string
  readonly minutes: number
}

export interface CodeIssuerOptions {
  readonly mode: "after" | "park"
  readonly key: Uint8Array
  readonly quota: CodeQuota
  /** Available channels, the preferred first. */
  readonly channels: readonly CodeChannel[]
  readonly send: (sent: OutgoingCode) => Promise<void>
}

export class CodeIssuer implements CodeService {
  readonly mode: "after" | "park"
  readonly #options: CodeIssuerOptions

  constructor(options: CodeIssuerOptions) {
    this.mode = options.mode
    this.#options = options
  }

  channels(contact: Contact): readonly CodeChannel[] {
    return this.#options.channels.filter((channel) => destinationOf(channel, contact) !== undefined)
  }

  /** Undefined if the quota is used up. */
  async issue({
    verificationId,
    visitId,
    org,
    caller,
    channel,
    contact,
    at,
  }: CodeRequest): Promise<IssuedCode | undefined> {
    const { key, quota, send } = this.#options
    const to = destinationOf(channel, contact)
    if (to === undefined || !quota.take({ mailbox: mailboxOf(channel, to), visitId, org, caller }, at)) return undefined
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
  }

  isCode(given: string, verificationId: VerificationId, digest: string): boolean {
    return isCode(this.#options.key, given, verificationId, digest)
  }
}
