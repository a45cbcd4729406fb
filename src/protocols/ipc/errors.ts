// The error frames of the session socket. A refusal has the text that all doors share, except where viewers of this
// protocol know another one.
import { describeRefusal, refusalTexts, type RefusalTexts } from "../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { AgentMessage } from "./frames.ts"

const notInPlanMode = "Not in plan mode"

export const ipcErrors = {
  ...refusalTexts,
  "queue.full": ({ limit }) => `Failed to queue message: Message queue is full (max ${limit})`,
  "plan.already": () => "Already in plan mode",
  "plan.not-in": () => notInPlanMode,
} satisfies RefusalTexts

export function errorFrame(message: string): AgentMessage {
  return { type: "error", message, fatal: false }
}

export function refusalFrame(refusal: Refusal): AgentMessage {
  return errorFrame(describeRefusal(refusal, ipcErrors))
}

/** The refusal of a prompt. */
export function inputRefusal(refusal: Refusal): AgentMessage {
  return refusal.code === "plan.not-in" ? errorFrame(`Plan mode error: ${notInPlanMode}`) : refusalFrame(refusal)
}

export function spawnFailure(reason: string): AgentMessage {
  return errorFrame(`Failed to spawn child agent: ${reason}`)
}

export function spawnRefusal(refusal: Refusal, parent: { readonly id: string; readonly depth: number }): AgentMessage {
  const reason = describeRefusal(refusal, ipcErrors)
  if (refusal.code !== "child.too-deep") return spawnFailure(reason)
  return spawnFailure(
    `${reason} Cannot spawn more children. Current parent '${parent.id}' is at depth ${parent.depth}.`,
  )
}

/** A session that its viewers have lost. A host that exits or hands over says so by closing the socket. */
export function lostFrames(refusal: Refusal): readonly AgentMessage[] {
  if (refusal.code === "host.gone" || refusal.code === "host.leaving") return []
  return [{ type: "error", message: describeRefusal(refusal, ipcErrors), fatal: true }]
}
