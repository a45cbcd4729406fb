// Commits in this process, for tests and for programs that share their log with no other process. Requests of one tick
// share a transaction. Blocks the event loop during the commit.
import { refused } from "../../event-log.ts"
import type { WritePort, WriteAnswer, WriteRequest } from "./write-request.ts"
import type { Writer } from "./writer.ts"

interface Waiting {
  readonly request: WriteRequest
  readonly answer: (answer: WriteAnswer) => void
  readonly fail: (fault: unknown) => void
}

export class InPlaceWriter implements WritePort {
  readonly #writer: Writer
  #waiting: Waiting[] = []
  #isClosed = false

  constructor(writer: Writer) {
    this.#writer = writer
  }

  send(request: WriteRequest): Promise<WriteAnswer> {
    if (this.#isClosed) return Promise.resolve(refused({ code: "log.unavailable", what: "the log is closed" }))
    return new Promise((answer, fail) => {
      // A tick, not a microtask: all sessions that continue after one answer get into the same batch.
      if (this.#waiting.length === 0) process.nextTick(() => this.#commit())
      this.#waiting.push({ request, answer, fail })
    })
  }

  /** Reads share the connection of the writer. */
  async prepare(): Promise<void> {}

  async close(): Promise<void> {
    this.#commit()
    this.#isClosed = true
    this.#writer.close()
  }

  #commit(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    try {
      const answers = this.#writer.commit(waiting.map(({ request }) => request))
      for (const [index, answer] of answers.entries()) waiting[index]?.answer(answer)
    } catch (fault) {
      for (const { fail } of waiting) fail(fault)
    }
  }
}
