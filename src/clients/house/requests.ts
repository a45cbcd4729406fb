// Pending requests by id. An answer is processed in the tick in which it is read, before the next lines, so that the
// caller can set up what receives those.
import type { Answered } from "../../contract/host-port.ts"
import type { ClientFrame } from "../../protocols/house/frames.ts"
import { PendingRequests } from "../base/pending-requests.ts"

export class Requests {
  readonly #pending = new PendingRequests<string, Answered<unknown>>()
  readonly #write: (frame: ClientFrame) => void
  #lastId = 0
  #closed: Answered<unknown> | undefined

  constructor(write: (frame: ClientFrame) => void) {
    this.#write = write
  }

  /** What `onAnswer` throws rejects the request. */
  send(
    frame: (id: string) => ClientFrame,
    onAnswer: (answered: Answered<unknown>) => void = () => {},
  ): Promise<Answered<unknown>> {
    if (this.#closed !== undefined) {
      onAnswer(this.#closed)
      return Promise.resolve(this.#closed)
    }
    this.#lastId += 1
    const id = String(this.#lastId)
    const request = frame(id)
    const read = (answered: Answered<unknown>) => {
      onAnswer(answered)
      return answered
    }
    const answer = this.#pending.wait(id, { name: request.type, read })
    this.#write(request)
    return answer
  }

  answer(id: string, answered: Answered<unknown>): void {
    this.#pending.answer(id, answered)
  }

  /** Answers all pending and later requests. */
  close(answered: Answered<unknown>): void {
    this.#closed = answered
    this.#pending.answerAll(answered)
  }
}
