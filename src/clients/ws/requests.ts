// Requests of a session, each on the connection of its moment. They wait for a connection when there is none. What only
// reads is asked again when a connection is lost; what does something is not, since it may have been done.
import type { ActionName } from "../../protocols/ws/actions.ts"
import type { Fields } from "../../protocols/ws/fields.ts"
import type { Connection, FrameMembers } from "./connection.ts"
import { BadAnswer, ConnectionLost, QuestionGone } from "./faults.ts"
import type { Lifeline } from "./lifeline.ts"
import type { RequestOptions, Timeouts } from "./options.ts"
import type { Said } from "./read-frame.ts"

const ofNoSession: ReadonlySet<ActionName> = new Set(["ping", "list_conversations", "rename_conversation"])

export class Requests {
  readonly #link: Lifeline
  readonly #timeouts: Timeouts

  constructor(link: Lifeline, timeouts: Timeouts) {
    this.#link = link
    this.#timeouts = timeouts
  }

  /** Once, in the name of the session that the connection has. */
  async ask(action: ActionName, members: FrameMembers, options: RequestOptions = {}): Promise<Said> {
    const { timeoutMs = this.#timeouts.requestMs, signal } = options
    const connection = await this.#link.current(signal)
    try {
      return await connection.ask(action, this.#named(action, members), { timeoutMs, signal })
    } catch (fault) {
      throw fault instanceof ConnectionLost ? (this.#link.fault ?? fault) : fault
    }
  }

  /**
   * Only if what it answers is still asked. A connection that has only begun may not have told that yet: by the answer
   * to a ping it has.
   */
  async askIf(
    isAsked: () => boolean,
    action: ActionName,
    members: FrameMembers,
    options: RequestOptions = {},
  ): Promise<Said> {
    while (this.#link.live === undefined) await this.ask("ping", {}, options)
    if (!isAsked()) throw new QuestionGone()
    return this.ask(action, members, options)
  }

  /** The data of the answer, however many connections it takes. */
  async read(action: ActionName, members: FrameMembers, options: RequestOptions = {}): Promise<Fields> {
    for (;;) {
      try {
        return dataOf(action, await this.ask(action, members, options))
      } catch (fault) {
        if (!(fault instanceof ConnectionLost)) throw fault // `current` rejects when no other connection follows
      }
    }
  }

  async askOn(connection: Connection, action: ActionName, members: FrameMembers): Promise<Fields> {
    const patience = { timeoutMs: this.#timeouts.requestMs }
    return dataOf(action, await connection.ask(action, this.#named(action, members), patience))
  }

  #named(action: ActionName, members: FrameMembers): FrameMembers {
    return ofNoSession.has(action) ? members : { sessionId: this.#link.visit.sessionId, ...members }
  }
}

function dataOf(action: ActionName, said: Said): Fields {
  if (said.kind !== "answer") throw new BadAnswer(action, "data")
  return said.data
}
