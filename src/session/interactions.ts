// Questions to a visitor that a call waits for. Like an approval a question is a stored fact that survives every crash
// and has one outcome; its answer is the result of the call. A wrong answer changes nothing: the question stays.
import type { CommandOf } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import { readValues } from "../contract/interactions.ts"
import type { JsonValue } from "../contract/values.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import type { CallInteracts, ReportOf } from "./report.ts"
import { findCall, type InteractionState, type SessionState } from "./state.ts"

const stale = refused({ code: "report.stale" })

export function requestInteraction(state: SessionState, report: CallInteracts, stamp: Stamp): Decision {
  const { callId, interactionId, kind, spec, reason, waitMs } = report
  const call = findCall(state, callId)
  if (call === undefined || (call.phase !== "called" && call.phase !== "approved")) return stale
  const expiresAt = waitMs === undefined ? undefined : stamp.at + waitMs
  return accepted({ type: "interaction.requested", interactionId, callId, kind, spec, reason, expiresAt })
}

export function answerInteraction(state: SessionState, command: CommandOf<"answer">, stamp: Stamp): Decision {
  const { interactionId, values, declined } = command
  const open = state.interactions.find(({ id }) => id === interactionId)
  if (open === undefined || isOver(open, stamp)) return refused({ code: "interaction.unknown", interactionId })
  if (declined === true) {
    const message = "The visitor does not want to answer."
    return accepted(
      { type: "interaction.answered", interactionId, outcome: "declined", by: stamp.by },
      result(open, { status: "declined", message }),
    )
  }
  const read = readValues(open.kind, open.spec, values ?? {})
  if (read.kind === "wrong") return refused({ code: "interaction.invalid", interactionId, errors: [...read.errors] })
  return accepted(
    { type: "interaction.answered", interactionId, outcome: "submitted", values: read.value, by: stamp.by },
    result(open, { status: "submitted", values: read.value }),
  )
}

export function expireInteraction(
  state: SessionState,
  { interactionId }: ReportOf<"interaction-expired">,
  stamp: Stamp,
): Decision {
  const open = state.interactions.find(({ id }) => id === interactionId)
  if (open === undefined || !isOver(open, stamp)) return stale
  const message = "The visitor did not answer in time."
  return accepted(
    { type: "interaction.answered", interactionId, outcome: "expired" },
    result(open, { status: "no_response", message }),
  )
}

/** When the turn is cut off there is nobody to answer to. */
export function voidInteractions(state: SessionState): readonly SessionEvent[] {
  return state.interactions.map(({ id }) => ({ type: "interaction.answered", interactionId: id, outcome: "void" }))
}

function isOver({ expiresAt }: InteractionState, { at }: Stamp): boolean {
  return expiresAt !== undefined && at >= expiresAt
}

/** What the model reads; it is never an error. */
function result({ callId }: InteractionState, payload: JsonValue): SessionEvent {
  return { type: "tool.ended", callId, outcome: "done", output: JSON.stringify(payload) }
}
