// News of children that cannot be reached yet. Whoever hears that there is a child may want to go to its socket at once,
// so the word is held back until that is there. A child that ended before was never there: that is a failure.
import type { EventOf } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import { spawnFailure } from "../../protocols/ipc/errors.ts"

export class SpawnNews {
  readonly #ready: (childId: SessionId) => Promise<void>
  readonly #say: (message: AgentMessage) => void
  /** Children of whom nobody has heard yet. */
  readonly #held = new Set<SessionId>()

  constructor(ready: (childId: SessionId) => Promise<void>, say: (message: AgentMessage) => void) {
    this.#ready = ready
    this.#say = say
  }

  /** Whether the message is not for now: it is said later, or not at all. */
  holdsBack(message: AgentMessage): boolean {
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

  forget(): void {
    this.#held.clear()
  }

  #release(childId: SessionId, message: AgentMessage): void {
    if (this.#held.delete(childId)) this.#say(message)
  }
}
