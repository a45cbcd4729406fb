// The handshake of a client: offers the versions it speaks, newest first, until the host accepts one.
import type { Refusal } from "../../contract/refusals.ts"
import type { ClientFrame, HostFrame } from "../../protocols/house/frames.ts"
import { houseVersions } from "../../protocols/house/limits.ts"

/** The host's id, role, release and process. */
export type HostGreeting = Omit<Extract<HostFrame, { type: "hello" }>, "type">

export interface ClientGreeting {
  readonly door: string
  readonly key?: string | undefined
}

type Reply =
  | { readonly kind: "hello"; readonly host: HostGreeting }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export class Handshake {
  #reply = Promise.withResolvers<Reply>()
  #isOver = false

  async run(
    write: (frame: ClientFrame) => void,
    greeting: ClientGreeting,
    versions: readonly number[] = houseVersions,
  ): Promise<Reply> {
    let reply: Reply = { kind: "refused", refusal: { code: "host.gone" } }
    for (const version of versions) {
      if (this.#isOver) return reply
      this.#reply = Promise.withResolvers()
      write({ type: "hello", version, ...greeting })
      reply = await this.#reply.promise
      if (reply.kind === "hello") break
    }
    this.#isOver = true
    return reply
  }

  receive(reply: Reply): void {
    this.#reply.resolve(reply)
  }

  /** The connection is gone. */
  close(refusal: Refusal): void {
    this.#isOver = true
    this.#reply.resolve({ kind: "refused", refusal })
  }
}
