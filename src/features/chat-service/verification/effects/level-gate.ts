// Gate for tools that need a verified visitor (`end_user`) or are not for visitors (`admin`). Internal agents are exempt.
// The visit that started the turn counts, regardless of other writers in the conversation.
import { settingsOf } from "../../../../contract/rules/session-settings.ts"
import type { ToolLevel } from "../../../../contract/values.ts"
import type { CallState } from "../../../../session/state.ts"
import { verifiedContact } from "../state.ts"
import { matches } from "../../../approvals/effects/policy.ts"
import type { SessionContext } from "../../../../runner/session-context.ts"
import { codeChannels } from "./send-code.ts"
import type { Gate } from "../../../../runner/session-context.ts"
import type { Verdict } from "../../../../runner/tools/verdict.ts"

export interface LevelRules {
  readonly endUser: readonly string[]
  readonly admin: readonly string[]
}

export function levelGate(rules: LevelRules): Gate {
  return ({ session, call, tool }) => {
    const level = levelOf(rules, tool.name)
    if (level === undefined || !isPublic(session)) return undefined
    if (level === "admin") return refusal(level, `${tool.name} is not for visitors.`)
    return verifiedContact(session.state) === undefined ? unverified(session, call) : undefined
  }
}

/** The stricter level wins. */
function levelOf({ endUser, admin }: LevelRules, tool: string): ToolLevel | undefined {
  if (matches(admin, tool)) return "admin"
  return matches(endUser, tool) ? "end_user" : undefined
}

function isPublic({ state, services }: SessionContext): boolean {
  return settingsOf(state.created).hasVisitors && services.service?.visibility !== "internal"
}

function unverified(session: SessionContext, { id: callId, tool }: CallState): Verdict {
  const { codes, approvalWaitMs: waitMs } = session.services
  const needs = `${tool} needs a verified visitor`
  if (codes === undefined) return refusal("end_user", `${needs}, and this server cannot verify visitors.`)
  const channels = codeChannels(session)
  if (channels.length === 0)
    return refusal(
      "end_user",
      `${needs}. A code can be sent once it is known where to: ask them for an e-mail address.`,
    )
  if (codes.mode === "park") return { kind: "park", report: { type: "code-needed", callId, channels, waitMs } }
  const codeInstruction = "They are sent a code when you have answered. Tell them to enter it, and then to ask again."
  return refusal("end_user", `${needs}. ${codeInstruction}`)
}

function refusal(level: ToolLevel, reason: string): Verdict {
  return { kind: "refuse", by: "levels", reason, level }
}
