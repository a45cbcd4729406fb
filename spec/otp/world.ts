// A host behind the WebSocket API with a tool for verified visitors, and a mail server that receives the codes. Everything
// between the socket and the mail is real; a test can set the clock.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach } from "vitest"
import type { CodeChannel } from "../../src/contract/values.ts"
import type { HostServices } from "../../src/host/session-host.ts"
import { codeIssuer, type OutgoingCode } from "../../src/features/chat-service/verification/effects/codes.ts"
import { mailCode } from "../../src/features/chat-service/verification/effects/mail-code.ts"
import type { CodeQuota } from "../../src/features/chat-service/verification/store/code-quota.ts"
import { SqliteCodeQuota } from "../../src/features/chat-service/verification/store/sqlite-code-quota.ts"
import type { Part } from "../../src/models/offline/index.ts"
import { modeGate } from "../../src/runner/tools/gates.ts"
import { levelGate } from "../../src/features/chat-service/verification/effects/level-gate.ts"
import { noRules, noPaths, policyGate, type PolicyRules } from "../../src/features/approvals/effects/policy.ts"
import { testTool } from "../../src/testing/test-host.ts"
import { inOrder } from "../../src/testing/service-world.ts"
import { type WsClient, type WsWorld, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import type { Caller, Tool } from "../../src/tools/tool.ts"
import { mailServers, type MailServer } from "./mail-server.ts"

export interface OtpWorld extends WsWorld {
  readonly mail: MailServer
  readonly quota: CodeQuota
  /** The visitors that the gated tool ran for. */
  readonly paid: (Caller | undefined)[]
  /** Warnings of the host. */
  readonly warnings: string[]
}

export interface OtpOptions {
  readonly mode?: "after" | "park"
  readonly channels?: readonly CodeChannel[]
  readonly send?: (sent: OutgoingCode) => Promise<void>
  readonly tools?: readonly Tool[]
  readonly rules?: Partial<PolicyRules>
  readonly change?: Partial<HostServices>
  readonly now?: () => number
  /** Where codes are counted. */
  readonly quotaFile?: string
  readonly quota?: CodeQuota
}

export const pay: Part = { call: { tool: "pay", input: { sum: 7 } } }
export const says = (text: string): readonly Part[] => [{ text }]

/** Call once in a test file. */
export function otpWorlds(): (answers: readonly (readonly Part[])[], options?: OtpOptions) => Promise<OtpWorld> {
  const world = wsWorlds()
  const mailServer = mailServers()
  const folders: string[] = []
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
  return async (answers, options = {}) => {
    const { mode = "after", channels = ["email"], tools = [], now = Date.now } = options
    const mail = await mailServer()
    const folder = mkdtempSync(join(tmpdir(), "codes-"))
    folders.push(folder)
    const key = new Uint8Array(32)
    const quota = options.quota ?? new SqliteCodeQuota(options.quotaFile ?? join(folder, "codes.db"), key)
    const send =
      options.send ?? ((sent) => mailCode({ url: mail.url, from: "shop@example.com", mustEncrypt: false }, sent))
    const codes = codeIssuer({ mode, key, quota, channels, send })
    const rules = { ...noRules, ...options.rules }
    const gates = [modeGate, levelGate({ endUser: ["pay"], admin: ["wipe"] }), policyGate(rules, noPaths)]
    const paid: (Caller | undefined)[] = []
    const tool = testTool("pay", (_, { caller }) => (paid.push(caller), { outcome: "done", output: "paid" }))
    const warnings: string[] = []
    const warn = (message: string) => void warnings.push(message)
    const change = { models: inOrder(answers).models, gates, codes, now, warn, ...options.change }
    const made = await world([], [tool, ...tools], {}, { now }, change)
    return { ...made, mail, quota, paid, warnings }
  }
}

export const contact = { userEmail: "jane@example.com" }

/** The outcome of a code. */
export async function verify(client: WsClient, sessionId: string, code: string) {
  return client.ask({ action: "verify_otp", requestId: `verify-${Math.random()}`, sessionId, code })
}

export function invalid(error: string, attemptsRemaining: number) {
  return { type: "otp_invalid", data: { data: { error, attemptsRemaining } } }
}
