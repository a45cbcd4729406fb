// Answers requests for links to one host. A link is handed over with the first message of its client, which proves that the
// request was not a replay.
import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node"
import type { ByteReader, LineConnection } from "../line-connection.ts"
import { createReply, hostSubject, linkSecrets, readRequest, refusal, type HostSecret } from "./handshake.ts"
import { MAX_HALF_OPEN } from "./limits.ts"
import { guarded, type LinkSet } from "./link-set.ts"
import type { Link } from "./link.ts"

export class HostListener {
  readonly #secret: HostSecret
  readonly #set: LinkSet
  readonly #accept: (connection: LineConnection) => ByteReader
  readonly #links = new Set<Link>()
  readonly #halfOpen = new Set<Link>()
  #subscription: Subscription | undefined

  constructor(secret: HostSecret, set: LinkSet, accept: (connection: LineConnection) => ByteReader) {
    this.#secret = secret
    this.#set = set
    this.#accept = accept
  }

  /** Again after each reconnect. */
  listen(connection: NatsConnection): void {
    this.#subscription = connection.subscribe(hostSubject(this.#secret), {
      callback: guarded((message) => this.#answer(connection, message)),
    })
  }

  /** Accepts no more links. */
  stop(): void {
    this.#subscription?.unsubscribe()
  }

  close(): void {
    this.stop()
    for (const link of this.#links) link.destroy()
  }

  #answer(connection: NatsConnection, message: Msg): void {
    const { reply: inbox } = message
    if (inbox === undefined || inbox === "") return
    const requestNonce = readRequest(this.#secret, this.#set.countIn(message))
    if (requestNonce === undefined)
      this.#set.reject(`a request for a link to host ${this.#secret.hostId} was made with another key`)
    if (requestNonce === undefined || this.#halfOpen.size >= MAX_HALF_OPEN)
      return this.#set.publish(connection, inbox, refusal)
    const reply = createReply(this.#secret, requestNonce)
    this.#open(connection, requestNonce, reply.nonce)
    this.#set.publish(connection, inbox, reply.message)
  }

  #open(connection: NatsConnection, requestNonce: Uint8Array, replyNonce: Uint8Array): void {
    const { toHost, toClient } = linkSecrets(this.#secret, requestNonce, replyNonce)
    const link = this.#set.open(connection, [toHost, toClient], (started) => {
      this.#halfOpen.delete(link)
      return this.#accept(started)
    })
    this.#halfOpen.add(link)
    this.#links.add(link)
    void this.#forgetWhenClosed(link)
  }

  async #forgetWhenClosed(link: Link): Promise<void> {
    await link.closed
    this.#halfOpen.delete(link)
    this.#links.delete(link)
  }
}
