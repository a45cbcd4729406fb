// Decisions about interactions.
import type { CommandOf } from "../../../contract/commands.ts"
import type { SessionEvent } from "../../../contract/events.ts"
import { readValues } from "../../../contract/rules/interactions.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "../../../session/decision.ts"
import { findCall, type SessionState } from "../../../session/state.ts"
import type { CallInteracts, InteractionExpired, InteractionState } from "./state.ts"

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
  if (open === undefined || isExpired(open, stamp)) return refused({ code: "interaction.unknown", interactionId })
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

export function expireInteraction(state: SessionState, { interactionId }: InteractionExpired, stamp: Stamp): Decision {
  const open = state.interactions.find(({ id }) => id === interactionId)
  if (open === undefined || !isExpired(open, stamp)) return stale
  const message = "The visitor did not answer in time."
  return accepted(
    { type: "interaction.answered", interactionId, outcome: "expired" },
    result(open, { status: "no_response", message }),
  )
}

function isExpired({ expiresAt }: InteractionState, { at }: Stamp): boolean {
  return expiresAt !== undefined && at >= expiresAt
}

/** What the model reads; never an error. */
function result({ callId }: InteractionState, payload: JsonValue): SessionEvent {
  return { type: "tool.ended", callId, outcome: "done", output: JSON.stringify(payload) }
}
