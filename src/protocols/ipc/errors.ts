// Words of the door itself, where the session has none.
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { AgentMessage, ViewerMessage } from "./frames.ts"

export function problem(message: string): AgentMessage {
  return { type: "error", message, fatal: false }
}

export function ack(command: ViewerMessage["type"]): AgentMessage {
  return { type: "ack", command }
}

export function spawnFailure(why: string): AgentMessage {
  return problem(`Failed to spawn child agent: ${why}`)
}

/** How deep the parent itself is, it knows best. */
export function spawnRefusal(refusal: Refusal, parent: { readonly id: string; readonly depth: number }): AgentMessage {
  if (refusal.code !== "child.too-deep") return spawnFailure(describeRefusal(refusal))
  const place = `Current parent '${parent.id}' is at depth ${parent.depth}.`
  return spawnFailure(`${describeRefusal(refusal)} Cannot spawn more children. ${place}`)
}

export function inputRefusal(refusal: Refusal): AgentMessage {
  if (refusal.code === "plan.not-in") return problem("Plan mode error: Not in plan mode")
  if (refusal.code !== "queue.full") return problem(describeRefusal(refusal))
  return problem(`Failed to queue message: Message queue is full (max ${refusal.limit})`)
}

/** In the words of this wire, where it has words for it. */
export function planRefusal(refusal: Refusal): AgentMessage {
  if (refusal.code === "plan.already") return problem("Already in plan mode")
  return problem(refusal.code === "plan.not-in" ? "Not in plan mode" : describeRefusal(refusal))
}
