// Sends one-time codes as configured: by mail, or printed by `serve` for development.
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import { CodeDesk, type SentCode } from "../../features/chat-service/verification/effects/code-issuer.ts"
import { mailCode } from "../../features/chat-service/verification/effects/mail-code.ts"
import { CodeTally } from "../../features/chat-service/verification/store/code-tally.ts"
import { masked } from "../../features/chat-service/verification/effects/codes.ts"
import { mailSettings } from "./mail-settings.ts"
import { printNotice } from "../terminal.ts"

type Otp = NonNullable<Config["otp"]>

/** Channels of each transport. */
const channelsOf = { smtp: ["email"], log: ["email", "sms"] } as const

export class OneTimeCodes {
  readonly #key: Uint8Array
  readonly #tally: CodeTally
  readonly #role: string

  constructor(home: string, key: Uint8Array, role: string) {
    this.#key = key
    this.#tally = new CodeTally(join(home, "codes.db"), key)
    this.#role = role
  }

  /** Nothing if codes are not configured. */
  desk({ otp }: Config): CodeDesk | undefined {
    if (otp === undefined) return undefined
    const { mode = "park", transport } = otp
    const send = this.#sender(otp)
    return new CodeDesk({ mode, key: this.#key, tally: this.#tally, channels: channelsOf[transport.type], send })
  }

  close(): void {
    this.#tally.close()
  }

  #sender(otp: Otp): (sent: SentCode) => Promise<void> {
    const mail = mailSettings(otp)
    return mail === undefined ? (sent) => printCode(sent, this.#role) : (sent) => mailCode(mail, sent)
  }
}

/** Other hosts print to a file, which must not contain a code. */
async function printCode({ channel, destination, code }: SentCode, role: string): Promise<void> {
  if (role !== "serve") throw new Error(`"otp.transport" is "log", which works only in turnhouse serve`)
  printNotice(
    `one-time code for ${masked(channel, destination)}: ${code} (printed because "otp.transport" is "log"; for development)`,
  )
}
