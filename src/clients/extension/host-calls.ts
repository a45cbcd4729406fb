// Requests of an extension to its host, by number. Answers can arrive while a handler still runs.
import type { JsonValue } from "../../contract/values.ts"
import { encodeRequest, type Answer } from "../../protocols/json-rpc.ts"
import { Fault } from "../base/fault.ts"
import { PendingRequests } from "../base/pending-requests.ts"

/** The host refused. `code` is -32602 for a missing permission, -32601 for a method that the host does not have. */
export class HostRefusal extends Fault {
  override readonly name = "HostRefusal"
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export class HostCalls {
  readonly #send: (body: string) => Promise<void>
  readonly #pending = new PendingRequests<number, Answer>()
  #lastId = 0
  #isClosed = false

  constructor(send: (body: string) => Promise<void>) {
    this.#send = send
  }

  async call(method: string, params: JsonValue): Promise<JsonValue> {
    if (this.#isClosed) throw hostGoneError()
    const id = ++this.#lastId
    const answer = this.#pending.wait(id, { name: method, read: readAnswer })
    this.#send(encodeRequest(id, method, params)).catch((fault: unknown) => this.#pending.reject(id, () => fault))
    return answer
  }

  /** Ignores an answer without a request. */
  receive(id: number, answer: Answer): void {
    this.#pending.answer(id, answer)
  }

  close(): void {
    this.#isClosed = true
    this.#pending.rejectAll(hostGoneError)
  }
}

function readAnswer(answer: Answer): JsonValue {
  if (answer.kind === "result") return answer.value
  throw new HostRefusal(answer.code, answer.message)
}

function hostGoneError(): Error {
  return new Error("the host is gone")
}
