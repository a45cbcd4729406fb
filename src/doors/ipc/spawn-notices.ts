// Holds back the notice of a new child until its socket exists, since a viewer may connect to it at once. A child that
// ends before that is reported as a failed spawn.
import type { EventOf } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { spawnFailure } from "../../protocols/ipc/errors.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"

export class SpawnNotices {
  readonly #ready: (childId: SessionId) => Promise<void>
  readonly #broadcast: (message: AgentMessage) => void
  /** Children whose notice was not sent yet. */
  readonly #held = new Set<SessionId>()

  constructor(ready: (childId: SessionId) => Promise<void>, broadcast: (message: AgentMessage) => void) {
    this.#ready = ready
    this.#broadcast = broadcast
  }

  /** Whether the message must not be sent now: it is sent later, or not at all. */
  mustHold(message: AgentMessage): boolean {
    if (message.type === "agent_exiting") return this.#held.has(message.session_id)
    if (message.type !== "agent_spawned") return false
    const childId = message.new_session_id
    this.#held.add(childId)
    this.#ready(childId).then(
      () => this.#release(childId, message),
      (fault: unknown) => this.#release(childId, spawnFailure(fault instanceof Error ? fault.message : String(fault))),
    )
    return true
  }

  ended({ childId, result }: EventOf<"child.ended">): void {
    this.#release(childId, spawnFailure(result))
  }

  clear(): void {
    this.#held.clear()
  }

  #release(childId: SessionId, message: AgentMessage): void {
    if (this.#held.delete(childId)) this.#broadcast(message)
  }
}
