// Words of the door itself, where the session has none.
import { sentence } from "../../contract/refusal-sentence.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { AgentMessage, ViewerMessage } from "../../protocols/ipc/frames.ts"

export const noLocks = "Locks are not available in this release"
export const noPlanMode = "Plan mode is not available on this door in this release"

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
  if (refusal.code !== "child.too-deep") return spawnFailure(sentence(refusal))
  const place = `Current parent '${parent.id}' is at depth ${parent.depth}.`
  return spawnFailure(`${sentence(refusal)} Cannot spawn more children. ${place}`)
}

export function queueRefusal(refusal: Refusal): AgentMessage {
  if (refusal.code !== "queue.full") return problem(sentence(refusal))
  return problem(`Failed to queue message: Message queue is full (max ${refusal.limit})`)
}
