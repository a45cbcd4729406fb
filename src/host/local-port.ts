// The House port over the sessions of this very process. Joining a session: what is stored is read page by page until
// the watcher has caught up; then, without a pause in between, it is subscribed and given the text so far.
import type { Answered, HousePort, OpenedHandle, SendOutcome, SessionHandle, Watcher } from "../contract/host-port.ts"
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionId } from "../contract/ids.ts"
import type { HouseQuery } from "../contract/queries.ts"
import type { SessionWish, ShellEnvironment } from "../contract/session-options.ts"
import type { Who } from "../contract/values.ts"
import { byOf } from "../contract/who.ts"
import type { Outcome } from "../log/event-log.ts"
import type { Opened } from "../runner/open-session.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { hibernateTree } from "./hibernation.ts"
import type { House, NewSession } from "./session-host.ts"
import { answer, type HouseFacts } from "./queries/answer.ts"
import { answerInTree } from "./children/tree-approvals.ts"

const pageSize = 500

export interface LocalPortOptions extends HouseFacts {
  /** Whether a session that nobody has open is opened here. */
  readonly takesIn: boolean
  /** Completes what a client wants of a new session by what the configuration says. */
  furnish(wish: SessionWish): Promise<Outcome<NewSession>>
}

export class LocalPort implements HousePort {
  readonly #house: House
  readonly #options: LocalPortOptions

  constructor(house: House, options: LocalPortOptions) {
    this.#house = house
    this.#options = options
  }

  async open(sessionId: SessionId, who: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const opened = this.#options.takesIn ? this.#house.open(sessionId) : this.#house.opened(sessionId)
    return this.#handle(await opened, who, env)
  }

  async create(wish: SessionWish, who: Who, env?: ShellEnvironment): Promise<OpenedHandle> {
    const furnished = await this.#options.furnish(wish)
    if (furnished.kind === "refused") return furnished
    return this.#handle(await this.#house.create(furnished.value), who, env)
  }

  query(query: HouseQuery): Promise<Answered> {
    return answer(this.#house, this.#options, query)
  }

  #handle(opened: Opened, who: Who, env: ShellEnvironment | undefined): OpenedHandle {
    if (opened.kind === "refused") return opened
    if (env !== undefined) opened.session.shell = env
    return { kind: "opened", handle: new LocalHandle(this.#house, opened.session, who) }
  }
}

class LocalHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #house: House
  readonly #session: SessionActor
  readonly #who: Who

  constructor(house: House, session: SessionActor, who: Who) {
    this.sessionId = session.id
    this.#house = house
    this.#session = session
    this.#who = who
  }

  /** What concerns a whole tree is not one session's decision. */
  send(command: SessionCommand): Promise<SendOutcome> {
    if (command.type === "approve") return answerInTree(this.#house, this.#session, command, this.#who)
    if (command.type === "hibernate") return hibernateTree(this.#house, this.#session, this.#who)
    return this.#session.send(command, this.#who)
  }

  async watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void> {
    const { log } = this.#session.services
    let seen = cursor
    const wantsMore = () => seen < this.#session.state.seq && signal?.aborted !== true
    while (wantsMore()) {
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
    return signal?.aborted === true ? () => {} : this.#join(seen, watcher)
  }

  /** Events that were appended but not yet shown while we read are in the log and told twice to nobody. */
  #join(seen: number, watcher: Watcher): () => void {
    const { streaming, state } = this.#session
    const blocks = seen > state.seq ? [] : (streaming?.streamed() ?? []) // whoever is ahead has its end already
    if (streaming !== undefined && blocks.length > 0) watcher({ kind: "streamed", stepId: streaming.stepId, blocks })
    const tell: Watcher = (item) => {
      if (item.kind !== "event" || item.recorded.seq > seen) watcher(item)
    }
    return this.#session.watch(tell, byOf(this.#who))
  }
}
