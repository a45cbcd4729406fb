// Where codes are made: in which way a contact can be reached, whether one more may be sent, and how it leaves the house.
// The code itself is known to what sends it, and kept nowhere.
import type { CodeOrder, CodeService, OwnCode } from "../code-service.ts"
import type { VerificationId } from "../../../../contract/ids.ts"
import { limits } from "../../../../contract/limits.ts"
import type { CodeChannel, Contact } from "../../../../contract/values.ts"
import { codeDigest, destinationOf, isCode, mailboxOf, masked, newCode, provedBy } from "./codes.ts"
import type { CodeTally } from "../store/code-tally.ts"

export interface SentCode {
  readonly channel: CodeChannel
  readonly destination: string
  readonly code: string
  readonly minutes: number
}

export interface CodeDeskOptions {
  readonly mode: "after" | "park"
  readonly key: Uint8Array
  readonly tally: CodeTally
  /** The ways there are, the preferred first. */
  readonly channels: readonly CodeChannel[]
  readonly send: (sent: SentCode) => Promise<void>
}

export class CodeDesk implements CodeService {
  readonly mode: "after" | "park"
  readonly #options: CodeDeskOptions

  constructor(options: CodeDeskOptions) {
    this.mode = options.mode
    this.#options = options
  }

  channels(contact: Contact): readonly CodeChannel[] {
    return this.#options.channels.filter((channel) => destinationOf(channel, contact) !== undefined)
  }

  /** Nothing where too many were made already. */
  async make({ verificationId, visitId, org, caller, channel, contact, at }: CodeOrder): Promise<OwnCode | undefined> {
    const { key, tally, send } = this.#options
    const to = destinationOf(channel, contact)
    if (to === undefined || !tally.take({ mailbox: mailboxOf(channel, to), visitId, org, caller }, at)) return undefined
    const code = newCode()
    return {
      contact: provedBy(channel, to),
      channel,
      destination: masked(channel, to),
      digest: codeDigest(key, verificationId, code),
      attemptsLeft: limits.codeAttempts,
      expiresAt: at + limits.codeMs,
      deliver: () => send({ channel, destination: to, code, minutes: limits.codeMs / 60_000 }),
    }
  }

  isCode(given: string, verificationId: VerificationId, digest: string): boolean {
    return isCode(this.#options.key, given, verificationId, digest)
  }
}
