// Interrupts turns and ends sessions. An interrupt is one append: streamed text and open calls get their end, open
// approvals become void, the turn ends. The runner kills the processes, which may take longer than the turn.
import type { CommandOf } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import { treeDoor } from "../contract/rules/session-settings.ts"
import { accepted, type Decision, type Stamp } from "./decision.ts"
import { features } from "./features.ts"
import { cutOffText } from "./recover.ts"
import { isBusy, openCalls, type CallState, type SessionState } from "./state.ts"

/** With a turn id, only that turn is interrupted; another turn that runs by now is not. */
export function interrupt(state: SessionState, { turnId }: CommandOf<"interrupt">, stamp: Stamp): Decision {
  const matchesTurn = turnId === undefined || turnId === state.turn?.id
  return matchesTurn ? accepted(...interruptTurn(state, stamp)) : accepted()
}

/** Interrupting an idle session is a no-op. */
function interruptTurn(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  const stopped: SessionEvent[] = []
  if (state.compaction !== undefined) {
    stopped.push({ type: "compaction.failed", compactionId: state.compaction, error: "interrupted" })
  }
  if (state.turn === undefined) return stopped
  stopped.push(...cutOffText(state, stamp))
  for (const call of openCalls(state)) stopped.push(cancelled(call))
  for (const feature of features) stopped.push(...(feature.interrupt?.(state) ?? []))
  stopped.push({ type: "turn.ended", turnId: state.turn.id, reason: "interrupted", by: stamp.by })
  return stopped
}

export function endSession(state: SessionState, command: CommandOf<"end">, stamp: Stamp): Decision {
  if (state.life === "ended") return accepted()
  if (command.when === "idle" && (isBusy(state) || state.waiting.length > 0)) {
    const known = state.endsWhenIdle && (!state.endsForParent || stamp.by.door === treeDoor)
    return known ? accepted() : accepted({ type: "session.ending", by: stamp.by })
  }
  const announcesEnd = command.parentExits === true && !state.endsForParent
  return accepted(
    ...(announcesEnd ? [{ type: "session.ending", by: stamp.by } as const] : []), // also for viewers of an idle child
    ...interruptTurn(state, stamp),
    ...state.waiting.map(
      ({ promptId }) => ({ type: "prompt.withdrawn", promptId, reason: "the session was ended" }) as const,
    ),
    ...eventsBeforeEnd(state, stamp),
    { type: "session.ended", reason: command.reason ?? "it was stopped", by: stamp.by },
  )
}

export function eventsBeforeEnd(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  return features.flatMap((feature) => feature.beforeEnd?.(state, stamp) ?? [])
}

/** A request of the parent stays until the session is orphaned. */
export function cancelEnd(state: SessionState, stamp: Stamp): Decision {
  if (!state.endsWhenIdle || state.endsForParent || state.life === "ended") return accepted()
  return accepted({ type: "session.kept", by: stamp.by })
}

function cancelled(call: CallState): SessionEvent {
  const startedNote = call.phase === "started" ? " It had begun; what it did so far stands." : ""
  return { type: "tool.ended", callId: call.id, outcome: "cancelled", output: `Cancelled.${startedNote}` }
}
