// Puts us between a provider package and its provider, for single calls: the package builds and sends the request and
// explains a refusal, and somebody else reads the answer. A call is recognised by its signal, which the package passes on.
import type { Fetch } from "../providers/provider.ts"

/** `send` sends the request, whose body is `body`. */
export type Respond = (send: () => Promise<Response>, body: unknown) => Promise<Response>

export class RequestCapture {
  readonly #fetch: Fetch
  readonly #calls = new WeakMap<AbortSignal, Respond>()

  constructor(fetch: Fetch) {
    this.#fetch = fetch
  }

  /** For the settings of the package. */
  readonly fetch: Fetch = (input, init) => {
    const respond = this.#respondFor(init?.signal)
    const send = () => this.#fetch(input, init)
    return respond === undefined ? send() : respond(send, init?.body)
  }

  /** A signal whose request is answered by `respond`; it is aborted with the other one. */
  signalFor(respond: Respond, outer: AbortSignal | undefined): AbortSignal {
    const signal = AbortSignal.any(outer === undefined ? [] : [outer])
    this.#calls.set(signal, respond)
    return signal
  }

  #respondFor(signal: AbortSignal | null | undefined): Respond | undefined {
    return signal === null || signal === undefined ? undefined : this.#calls.get(signal)
  }
}
