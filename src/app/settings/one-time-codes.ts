// One-time codes as configured: sent by mail, or printed by `serve` for development.
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import {
  codeIssuer,
  type CodeService,
  type OutgoingCode,
  maskDestination,
} from "../../features/chat-service/verification/effects/codes.ts"
import { mailCode } from "../../features/chat-service/verification/effects/mail-code.ts"
import { CodeQuota } from "../../features/chat-service/verification/store/code-quota.ts"
import { mailSettings } from "./mail-settings.ts"
import { printNotice } from "../terminal.ts"

type Otp = NonNullable<Config["otp"]>

/** The channels of each transport. */
const channelsOf = { smtp: ["email"], log: ["email", "sms"] } as const

export class OneTimeCodes {
  readonly #key: Uint8Array
  readonly #quota: CodeQuota
  readonly #role: string

  constructor(home: string, key: Uint8Array, role: string) {
    this.#key = key
    this.#quota = new CodeQuota(join(home, "codes.db"), key)
    this.#role = role
  }

  /** Undefined if codes are not configured. */
  issuer({ otp }: Config): CodeService | undefined {
    if (otp === undefined) return undefined
    const { mode = "park", transport } = otp
    const send = this.#sender(otp)
    return codeIssuer({ mode, key: this.#key, quota: this.#quota, channels: channelsOf[transport.type], send })
  }

  close(): void {
    this.#quota.close()
  }

  #sender(otp: Otp): (sent: OutgoingCode) => Promise<void> {
    const mail = mailSettings(otp)
    return mail === undefined ? (sent) => printCode(sent, this.#role) : (sent) => mailCode(mail, sent)
  }
}

/** The output of other hosts goes to a file, which must not contain codes. */
async function printCode({ channel, destination, code }: OutgoingCode, role: string): Promise<void> {
  if (role !== "serve") throw new Error(`"otp.transport" is "log", which works only in turnhouse serve`)
  printNotice(
    `one-time code for ${maskDestination(channel, destination)}: ${code} (printed because "otp.transport" is "log"; for development)`,
  )
}
