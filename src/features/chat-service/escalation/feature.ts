// Escalation: an agent asks for a person. It outlives the turn: it is open until an operator settles it or prompts in
// the session.
import type { CommandOf } from "../../../contract/commands.ts"
import type { SessionEvent } from "../../../contract/events.ts"
import { textIn } from "../../../contract/json-object.ts"
import { treeDoor } from "../../../contract/rules/session-settings.ts"
import { accepted, refused, type Decision, type Stamp } from "../../../session/decision.ts"
import type { Feature } from "../../../session/feature.ts"
import type { CallSettled } from "../../../session/report.ts"
import { findCall, type SessionState } from "../../../session/state.ts"
import { ESCALATION_TOOL, type EscalationState } from "./state.ts"

export const escalation = {
  initial: { escalation: undefined },
  commands: { "settle-escalation": settle },
  access: { "settle-escalation": "approve" },
  evolve: {
    "escalation.raised": (_, { reason }) => ({ escalation: { reason } }),
    "escalation.settled": () => ({ escalation: undefined }),
    "session.ended": () => ({ escalation: undefined }),
  },
  afterCall: raise,
  beforePrompt: settleByPrompt,
} satisfies Feature<EscalationState>

/** The tool's result has the reason in its details. */
function raise(state: SessionState, { callId, outcome, details }: CallSettled): readonly SessionEvent[] {
  const reason = textIn(details, "escalation")
  if (outcome !== "done" || reason === undefined || findCall(state, callId)?.tool !== ESCALATION_TOOL) return []
  return state.turn === undefined ? [] : [{ type: "escalation.raised", turnId: state.turn.id, callId, reason }]
}

function settle(state: SessionState, { note }: CommandOf<"settle-escalation">, { by }: Stamp): Decision {
  if (state.escalation === undefined) return refused({ code: "escalation.none" })
  return accepted({ type: "escalation.settled", by, note })
}

/** A prompt of an operator settles it; one of a visitor, a program or another agent does not. */
function settleByPrompt(state: SessionState, prompt: CommandOf<"prompt">, { by }: Stamp): Decision | undefined {
  if (state.escalation === undefined || prompt.untrustedSource !== undefined) return undefined
  if (by.door === treeDoor || state.visitors.includes(by.principal)) return undefined
  return accepted({ type: "escalation.settled", by })
}
