// Requests of a session on whichever connection it has; they wait while there is none. Requests that only read are
// retried after a lost connection; others are not, because the server may have carried them out.
import type { ActionName } from "../../../protocols/ws/action-names.ts"
import type { Fields } from "../../../protocols/ws/fields.ts"
import { BadAnswer, ConnectionLost, QuestionGone } from "../faults.ts"
import type { RequestOptions, Timeouts } from "../options.ts"
import type { Connection, FrameFields } from "./connection.ts"
import type { FrameContent } from "./read-frame.ts"
import type { SessionLink } from "./session-link.ts"

const withoutSession: ReadonlySet<ActionName> = new Set(["ping", "list_conversations", "rename_conversation"])

export class Requests {
  readonly #link: SessionLink
  readonly #timeouts: Timeouts

  constructor(link: SessionLink, timeouts: Timeouts) {
    this.#link = link
    this.#timeouts = timeouts
  }

  /** Sends once, with the session id of the current connection. */
  async send(action: ActionName, fields: FrameFields, options: RequestOptions = {}): Promise<FrameContent> {
    const { timeoutMs = this.#timeouts.requestMs, signal } = options
    const connection = await this.#link.current(signal)
    try {
      return await connection.request(action, this.#withSession(action, fields), { timeoutMs, signal })
    } catch (fault) {
      throw fault instanceof ConnectionLost ? (this.#link.fault ?? fault) : fault
    }
  }

  /**
   * Sends only while `isPending`. A new connection may not have shown the pending card yet; when it answers a ping, it
   * has.
   */
  async sendIf(
    isPending: () => boolean,
    action: ActionName,
    fields: FrameFields,
    options: RequestOptions = {},
  ): Promise<FrameContent> {
    while (this.#link.live === undefined) await this.send("ping", {}, options)
    if (!isPending()) throw new QuestionGone()
    return this.send(action, fields, options)
  }

  /** The data of the response, over as many connections as it takes. */
  async read(action: ActionName, fields: FrameFields, options: RequestOptions = {}): Promise<Fields> {
    for (;;) {
      try {
        return dataOf(action, await this.send(action, fields, options))
      } catch (fault) {
        if (!(fault instanceof ConnectionLost)) throw fault // `current` rejects when reconnecting has failed
      }
    }
  }

  async readOn(connection: Connection, action: ActionName, fields: FrameFields): Promise<Fields> {
    const { requestMs: timeoutMs } = this.#timeouts
    return dataOf(action, await connection.request(action, this.#withSession(action, fields), { timeoutMs }))
  }

  #withSession(action: ActionName, fields: FrameFields): FrameFields {
    return withoutSession.has(action) ? fields : { sessionId: this.#link.visit.sessionId, ...fields }
  }
}

function dataOf(action: ActionName, content: FrameContent): Fields {
  if (content.kind !== "response") throw new BadAnswer(action, "data")
  return content.data
}
