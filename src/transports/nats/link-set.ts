// The open links of a process on its connection to NATS: their subscriptions, clock and counters.
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import type { ByteReader, LineConnection } from "../line-connection.ts"
import type { Direction } from "./handshake.ts"
import { SILENCE_TICKS, type Timings } from "./limits.ts"
import { Link } from "./link.ts"
import { Opener, Sealer } from "./sealing.ts"

/** Payloads, without what the protocol of NATS adds. */
export interface Counters {
  readonly messagesIn: number
  readonly messagesOut: number
  readonly bytesIn: number
  readonly bytesOut: number
  /** Messages and requests that were not sealed with the key of the cluster. */
  readonly rejected: number
  readonly openLinks: number
}

interface Farewell {
  readonly subject: string
  readonly message: Uint8Array
  readonly at: number
}

interface OpenLink {
  readonly link: Link
  readonly subject: string
}

export class LinkSet {
  readonly #timings: Timings
  readonly #onRejected: (what: string) => void
  readonly #links = new Set<OpenLink>()
  readonly #counts = { messagesIn: 0, messagesOut: 0, bytesIn: 0, bytesOut: 0, rejected: 0 }
  #clock: NodeJS.Timeout | undefined
  #farewells: Farewell[] = []

  constructor(timings: Timings, onRejected: (what: string) => void) {
    this.#timings = timings
    this.#onRejected = onRejected
  }

  get counters(): Counters {
    return { ...this.#counts, openLinks: this.#links.size }
  }

  open(
    connection: NatsConnection,
    [receiving, sending]: readonly [Direction, Direction],
    accept: (connection: LineConnection) => ByteReader,
  ): Link {
    const subscription = connection.subscribe(receiving.subject, {
      callback: guarded((message) => {
        if (!link.receive(this.countIn(message))) this.reject("a message of a link was not sealed with its key")
      }),
    })
    const wire = {
      maxPayload: connection.info?.max_payload ?? 0,
      publish: (message: Uint8Array) => this.publish(connection, sending.subject, message),
      release: () => {
        subscription.unsubscribe()
        this.#remove(entry)
      },
    }
    const link = new Link(wire, new Sealer(sending.key), new Opener(receiving.key), accept)
    const entry = { link, subject: sending.subject }
    this.#links.add(entry)
    this.#clock ??= setInterval(() => this.#tick(), this.#timings.tickMs).unref()
    return link
  }

  publish(connection: NatsConnection, subject: string, message: Uint8Array): void {
    if (connection.isClosed()) return // lost, as much else: the links are about to end
    this.#counts.messagesOut += 1
    this.#counts.bytesOut += message.length
    connection.publish(subject, message)
  }

  countIn({ data }: Msg): Uint8Array {
    this.#counts.messagesIn += 1
    this.#counts.bytesIn += data.length
    return data
  }

  reject(what: string): void {
    this.#counts.rejected += 1
    this.#onRejected(what)
  }

  /** The connection to NATS is lost: closes all links. Peers learn it when it is back. */
  abandon(): void {
    const at = performance.now()
    for (const { link, subject } of this.#links) {
      const message = link.abandon()
      if (message !== undefined) this.#farewells.push({ subject, message, at })
    }
  }

  /** Peers that were told nothing for longer have closed their links by themselves. */
  sendFarewells(connection: NatsConnection): void {
    const since = performance.now() - SILENCE_TICKS * this.#timings.tickMs
    for (const { subject, message, at } of this.#farewells) if (at > since) this.publish(connection, subject, message)
    this.#farewells = []
  }

  /** Delivers what was sent, as far as the peers read it within that time. */
  async end(withinMs: number): Promise<void> {
    const links = Array.from(this.#links, ({ link }) => link)
    for (const link of links) link.end()
    const deadline = Promise.withResolvers<void>()
    const timer = setTimeout(deadline.resolve, links.length === 0 ? 0 : withinMs)
    await Promise.race([Promise.all(links.map(({ closed }) => closed)), deadline.promise])
    clearTimeout(timer)
    for (const link of links) link.destroy()
  }

  #remove(entry: OpenLink): void {
    this.#links.delete(entry)
    if (this.#links.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  #tick(): void {
    for (const { link } of this.#links) link.tick()
  }
}

/** The client library stops reading when a callback throws; the fault must reach the process as from any other socket. */
export function guarded(receive: (message: Msg) => void): (fault: Error | null, message: Msg) => void {
  return (fault, message) => {
    if (fault !== null) return // reported by the connection
    try {
      receive(message)
    } catch (thrown) {
      queueMicrotask(() => {
        throw thrown
      })
    }
  }
}
