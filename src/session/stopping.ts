// Cutting work off. An interrupt is one append: streamed text and open calls get their end, open approvals become
// void, the turn is over. Killing what still runs is the runner's business and outlives the turn.
import type { CommandOf } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { StepId } from "../contract/ids.ts"
import { treeDoor } from "../contract/tree-door.ts"
import { accepted, type Decision, type Stamp } from "./decision.ts"
import { voidInteractions } from "./interactions.ts"
import { voidVerifications } from "./verification.ts"
import { isBusy, openApprovals, openCalls, type CallState, type SessionState } from "./state.ts"

/** Nothing when idle: there is nothing to stop, and that is not an error. */
export function interruptTurn(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  const stopped: SessionEvent[] = []
  if (state.compaction !== undefined) {
    stopped.push({ type: "compaction.failed", compactionId: state.compaction, error: "interrupted" })
  }
  if (state.turn === undefined) return stopped
  stopped.push(...cutOffText(state, stamp))
  for (const call of openCalls(state)) stopped.push(cancelled(call))
  for (const { id } of openApprovals(state)) stopped.push({ type: "approval.decided", approvalId: id, outcome: "void" })
  stopped.push(...voidInteractions(state), ...voidVerifications(state))
  stopped.push({ type: "turn.ended", turnId: state.turn.id, reason: "interrupted", by: stamp.by })
  return stopped
}

export function endSession(state: SessionState, command: CommandOf<"end">, stamp: Stamp): Decision {
  if (state.life === "ended") return accepted()
  if (command.when === "idle" && (isBusy(state) || state.waiting.length > 0)) {
    const known = state.endsWhenIdle && (!state.endsForParent || stamp.by.door === treeDoor)
    return known ? accepted() : accepted({ type: "session.ending", by: stamp.by })
  }
  const isTold = command.parentExits === true && !state.endsForParent
  return accepted(
    ...(isTold ? [{ type: "session.ending", by: stamp.by } as const] : []), // viewers of an idle child hear of it too
    ...interruptTurn(state, stamp),
    ...state.waiting.map(
      ({ promptId }) => ({ type: "prompt.withdrawn", promptId, reason: "the session was ended" }) as const,
    ),
    ...(state.children.length > 0
      ? [{ type: "children.signalled", action: "force-shutdown", by: stamp.by } as const]
      : []),
    { type: "session.ended", reason: command.reason ?? "it was stopped", by: stamp.by },
  )
}

/** What the parent wants stands until the parent is gone. */
export function stay(state: SessionState, stamp: Stamp): Decision {
  if (!state.endsWhenIdle || state.endsForParent || state.life === "ended") return accepted()
  return accepted({ type: "session.kept", by: stamp.by })
}

/** Text that a model was still writing is kept, marked as cut off. */
export function cutOffText(state: SessionState, stamp: Stamp): readonly SessionEvent[] {
  const step = state.turn?.step
  if (step === undefined || step.answered) return []
  const said = stamp.streamed.filter(({ text }) => text !== "")
  return said.map((block, index) => cutOff(step.id, block, index === said.length - 1))
}

/** Only the last block was cut off; a thought that came before it is of no use to the model without its signature. */
function cutOff(stepId: StepId, { block, kind, text }: Stamp["streamed"][number], isLast: boolean): SessionEvent {
  if (kind === "reasoning") return { type: "reasoning.ended", stepId, block, text, interrupted: true }
  return { type: "text.ended", stepId, block, text, ...(isLast ? { interrupted: true } : {}) }
}

function cancelled(call: CallState): SessionEvent {
  const begun = call.phase === "started" ? " It had begun; what it did so far stands." : ""
  return { type: "tool.ended", callId: call.id, outcome: "cancelled", output: `Cancelled.${begun}` }
}
