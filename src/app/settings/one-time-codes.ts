// One-time codes as configured: sent by mail, or printed by `serve` for development. Codes are counted in the home, or in
// PostgreSQL for all nodes.
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import {
  codeIssuer,
  type CodeService,
  type OutgoingCode,
  maskDestination,
} from "../../features/chat-service/verification/effects/codes.ts"
import { mailCode } from "../../features/chat-service/verification/effects/mail-code.ts"
import type { CodeQuota } from "../../features/chat-service/verification/store/code-quota.ts"
import { SqliteCodeQuota } from "../../features/chat-service/verification/store/sqlite-code-quota.ts"
import { mailSettings } from "./mail-settings.ts"
import { printNotice } from "../terminal.ts"

type Otp = NonNullable<Config["otp"]>

/** The channels of each transport. */
const channelsOf = { smtp: ["email"], log: ["email", "sms"] } as const

export class OneTimeCodes {
  readonly #home: string
  readonly #key: Uint8Array
  readonly #role: string
  /** By the address of the database; undefined is that of the home. */
  readonly #quotas = new Map<string | undefined, CodeQuota>()

  constructor(home: string, key: Uint8Array, role: string) {
    this.#home = home
    this.#key = key
    this.#role = role
  }

  /** Undefined if codes are not configured. */
  issuer({ otp, store }: Config): CodeService | undefined {
    if (otp === undefined) return undefined
    const { mode = "park", transport } = otp
    const quota = this.#quota(store?.type === "postgres" ? store.url : undefined)
    return codeIssuer({ mode, key: this.#key, quota, channels: channelsOf[transport.type], send: this.#sender(otp) })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#quotas.values()].map((quota) => quota.close()))
  }

  #quota(url: string | undefined): CodeQuota {
    const known = this.#quotas.get(url)
    if (known !== undefined) return known
    const file = join(this.#home, "codes.db")
    const quota = url === undefined ? new SqliteCodeQuota(file, this.#key) : clusterQuota(url, this.#key)
    this.#quotas.set(url, quota)
    return quota
  }

  #sender(otp: Otp): (sent: OutgoingCode) => Promise<void> {
    const mail = mailSettings(otp)
    return mail === undefined ? (sent) => printCode(sent, this.#role) : (sent) => mailCode(mail, sent)
  }
}

/** Loaded and connected with the first code. */
function clusterQuota(url: string, key: Uint8Array): CodeQuota {
  let opening: Promise<CodeQuota> | undefined
  const open = async () => {
    const [{ Database }, { PostgresCodeQuota }] = await Promise.all([
      import("../../postgres/database.ts"),
      import("../../features/chat-service/verification/store/postgres-code-quota.ts"),
    ])
    return new PostgresCodeQuota(new Database({ url, connections: 1 }), key)
  }
  return {
    take: async (request, at) => (await (opening ??= open())).take(request, at),
    close: async () => (await opening)?.close(),
  }
}

/** The output of other hosts goes to a file, which must not contain codes. */
async function printCode({ channel, destination, code }: OutgoingCode, role: string): Promise<void> {
  if (role !== "serve") throw new Error(`"otp.transport" is "log", which works only in turnhouse serve`)
  printNotice(
    `one-time code for ${maskDestination(channel, destination)}: ${code} (printed because "otp.transport" is "log"; for development)`,
  )
}
