// The House port over the sessions that are open in this very process. Joining a session: what is stored is read page by page until
// the watcher has caught up; then, without a pause in between, it is subscribed and given the text so far.
import type { HousePort, OpenedHandle, SendOutcome, SessionHandle, Watcher } from "../contract/house-port.ts"
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionId } from "../contract/ids.ts"
import type { By } from "../contract/values.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import type { House } from "./house.ts"

const pageSize = 500

export class LocalPort implements HousePort {
  readonly #house: House

  constructor(house: House) {
    this.#house = house
  }

  async open(sessionId: SessionId, by: By): Promise<OpenedHandle> {
    const opened = await this.#house.opened(sessionId)
    if (opened.kind === "refused") return opened
    return { kind: "opened", handle: new LocalHandle(opened.session, by) }
  }
}

class LocalHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #session: SessionActor
  readonly #by: By

  constructor(session: SessionActor, by: By) {
    this.sessionId = session.id
    this.#session = session
    this.#by = by
  }

  send(command: SessionCommand): Promise<SendOutcome> {
    return this.#session.send(command, this.#by)
  }

  async watch(cursor: number, watcher: Watcher): Promise<() => void> {
    const { log } = this.#session.services
    let seen = cursor
    while (seen < this.#session.state.seq) {
      const page = await log.read(this.sessionId, seen, pageSize)
      if (page.kind === "refused") {
        watcher({ kind: "lost", refusal: page.refusal })
        return () => {}
      }
      // What is stored but not yet shown comes live, together with the end of the text that streams now.
      const shown = page.value.filter(({ seq }) => seq <= this.#session.state.seq)
      for (const recorded of shown) watcher({ kind: "event", recorded })
      seen = shown.at(-1)?.seq ?? this.#session.state.seq
    }
    return this.#join(seen, watcher)
  }

  /** Events that were appended but not yet shown while we read are in the log and told twice to nobody. */
  #join(seen: number, watcher: Watcher): () => void {
    const { streaming } = this.#session
    const blocks = streaming?.streamed() ?? []
    if (streaming !== undefined && blocks.length > 0) watcher({ kind: "streamed", stepId: streaming.stepId, blocks })
    return this.#session.watch((item) => {
      if (item.kind !== "event" || item.recorded.seq > seen) watcher(item)
    })
  }
}
