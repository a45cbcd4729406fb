// The first words of a client: it offers the versions it speaks, newest first, until the host takes one.
import type { Refusal } from "../../contract/refusals.ts"
import type { ClientFrame, HostFrame } from "../../protocols/house/frames.ts"
import { houseVersions } from "../../protocols/house/versions.ts"

/** What a host says of itself. */
export type HostGreeting = Omit<Extract<HostFrame, { type: "hello" }>, "type">

/** What a client says of itself. */
export interface Words {
  readonly door: string
  readonly key?: string | undefined
}

type Reply =
  | { readonly kind: "hello"; readonly host: HostGreeting }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export class Greeting {
  #reply = Promise.withResolvers<Reply>()
  #isOver = false

  async say(write: (frame: ClientFrame) => void, words: Words, versions = houseVersions): Promise<Reply> {
    let reply: Reply = { kind: "refused", refusal: { code: "host.gone" } }
    for (const version of versions) {
      if (this.#isOver) return reply
      this.#reply = Promise.withResolvers()
      write({ type: "hello", version, ...words })
      reply = await this.#reply.promise
      if (reply.kind === "hello") break
    }
    this.#isOver = true
    return reply
  }

  hear(reply: Reply): void {
    this.#reply.resolve(reply)
  }

  /** Nobody is there to answer any more. */
  lose(refusal: Refusal): void {
    this.#isOver = true
    this.#reply.resolve({ kind: "refused", refusal })
  }
}
