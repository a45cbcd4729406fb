// An agent that wants a person. The wish outlives the turn in which it was raised: it stands until somebody of the house
// says that they have seen to it, or speaks in the session themselves.
import type { CommandOf } from "../contract/commands.ts"
import type { EventOf, SessionEvent } from "../contract/events.ts"
import { escalationTool } from "../contract/escalation-tool.ts"
import { textIn } from "../contract/json-object.ts"
import { treeDoor } from "../contract/tree-door.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import type { CallSettled } from "./report.ts"
import { findCall, type SessionState } from "./state.ts"

/** What follows from the result of a call, where the call was for a person. */
export function raiseEscalation(state: SessionState, report: CallSettled): readonly SessionEvent[] {
  const { callId, outcome, details } = report
  const reason = textIn(details, "escalation")
  if (outcome !== "done" || reason === undefined || findCall(state, callId)?.tool !== escalationTool) return []
  return state.turn === undefined ? [] : [{ type: "escalation.raised", turnId: state.turn.id, callId, reason }]
}

export function settleEscalation(
  state: SessionState,
  { note }: CommandOf<"settle-escalation">,
  { by }: Stamp,
): Decision {
  if (state.escalation === undefined) return refused({ code: "escalation.none" })
  return accepted({ type: "escalation.settled", by, note })
}

/** Somebody of the house speaks: neither a visitor, nor a program, nor another agent. */
export function takeOver(state: SessionState, prompt: CommandOf<"prompt">, { by }: Stamp): readonly SessionEvent[] {
  if (state.escalation === undefined || prompt.untrustedSource !== undefined) return []
  if (by.door === treeDoor || state.visitors.includes(by.principal)) return []
  return [{ type: "escalation.settled", by }]
}

export function escalated(state: SessionState, { reason }: EventOf<"escalation.raised">): SessionState {
  return { ...state, escalation: { reason } }
}
