// What an extension asks of its host: each call gets a number, and the answer with that number belongs to it. Answers
// come while a handler is still at work, so they never wait for their turn among the host's own requests.
import type { JsonValue } from "../../contract/values.ts"
import type { Answer } from "../../protocols/extension/receive.ts"
import { tellRequest } from "../../protocols/extension/tell.ts"

/** The host has said no. `code` is -32602 for what the manifest does not permit, -32601 for what the host cannot do. */
export class HostRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = "HostRefusal"
    this.code = code
  }
}

interface Waiting {
  readonly resolve: (value: JsonValue) => void
  readonly reject: (fault: Error) => void
}

export class HostCalls {
  readonly #send: (body: string) => Promise<void>
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #isClosed = false

  constructor(send: (body: string) => Promise<void>) {
    this.#send = send
  }

  async call(method: string, params: JsonValue): Promise<JsonValue> {
    if (this.#isClosed) throw new Error("the host is gone")
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<JsonValue>()
    this.#waiting.set(id, { resolve, reject })
    this.#send(tellRequest(id, method, params)).catch((fault: unknown) => {
      this.#waiting.delete(id)
      reject(fault instanceof Error ? fault : new Error(String(fault)))
    })
    return promise
  }

  /** An answer that nobody waits for is dropped. */
  settle(id: number, answer: Answer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (answer.kind === "result") waiting?.resolve(answer.value)
    else waiting?.reject(new HostRefusal(answer.code, answer.message))
  }

  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(new Error("the host is gone"))
    this.#waiting.clear()
  }
}
