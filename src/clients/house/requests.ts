// Questions of a client that wait for their answer, by id. An answer is handed over in the very moment in which it is
// read, before the lines behind it: whoever asked can set up what is to receive those.
import type { Answered } from "../../contract/host-port.ts"
import type { ClientFrame } from "../../protocols/house/frames.ts"

export class Requests {
  readonly #waiting = new Map<string, (answered: Answered) => void>()
  readonly #write: (frame: ClientFrame) => void
  #ids = 0
  #lost: Answered | undefined

  constructor(write: (frame: ClientFrame) => void) {
    this.#write = write
  }

  ask(frame: (id: string) => ClientFrame, onAnswer: (answered: Answered) => void = () => {}): Promise<Answered> {
    if (this.#lost !== undefined) {
      onAnswer(this.#lost)
      return Promise.resolve(this.#lost)
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    this.#ids += 1
    const id = String(this.#ids)
    this.#waiting.set(id, (answered) => {
      try {
        onAnswer(answered)
        resolve(answered)
      } catch (fault) {
        reject(fault) // whoever asked must hear of it, not the connection
      }
    })
    this.#write(frame(id))
    return promise
  }

  settle(id: string, answered: Answered): void {
    const settle = this.#waiting.get(id)
    this.#waiting.delete(id)
    settle?.(answered)
  }

  /** Nobody waits for ever on a host that is gone. */
  lose(answered: Answered): void {
    this.#lost = answered
    for (const id of this.#waiting.keys()) this.settle(id, answered)
  }
}
