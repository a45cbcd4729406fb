// Links between the nodes of a cluster over one connection to NATS. NATS may lose messages: a link then ends, and its user
// opens another one.
import { RequestError, TimeoutError, type Msg, type NatsConnection } from "@nats-io/transport-node"
import { LineSplitter } from "../framing/lines.ts"
import type { ByteReader, LineConnection, LineListener, OnConnection } from "../line-connection.ts"
import { createRequest, hostSubject, KEY_BYTES, linkSecrets, readReply, type HostSecret } from "./handshake.ts"
import { HostListener } from "./host-listener.ts"
import { timings as defaultTimings, type Timings } from "./limits.ts"
import { LinkFault } from "./link-fault.ts"
import { LinkSet, type Counters } from "./link-set.ts"
import { ReconnectingConnection, type BusState } from "./nats-connection.ts"
import { parseServers } from "./servers.ts"
import { Warnings } from "./warnings.ts"

export interface NatsBusOptions {
  /** One or several servers, with commas between them. */
  readonly url: string
  /** Of this node, for the monitoring of NATS. */
  readonly name: string
  /** 32 bytes that all nodes of the cluster share, and nothing else knows. */
  readonly key: Uint8Array
  /** Clusters with different names do not see each other. Letters, digits, - and _. */
  readonly cluster: string
  readonly warn?: (message: string) => void
  readonly timings?: Partial<Timings>
}

export interface BusCounters extends Counters {
  readonly reconnects: number
}

/** For peers to read the rest when the bus is closed. */
const END_MS = 1000

export class NatsBus {
  readonly #key: Uint8Array
  readonly #cluster: string
  readonly #links: LinkSet
  readonly #connection: ReconnectingConnection
  readonly #listeners = new Set<HostListener>()

  /** Throws for an invalid address, key or cluster. */
  constructor({ url, name, key, cluster, warn = () => {}, timings = {} }: NatsBusOptions) {
    if (key.length !== KEY_BYTES) throw new Error(`the key of a cluster has ${KEY_BYTES} bytes, not ${key.length}`)
    this.#key = key
    this.#cluster = subjectToken("cluster", cluster)
    const allTimings = { ...defaultTimings, ...timings }
    const warnings = new Warnings(warn, allTimings.warnMs)
    this.#links = new LinkSet(allTimings, (what) =>
      warnings.warn("rejected", `${this.place}: ${what}. Copy the same keys to all nodes of the cluster.`),
    )
    this.#connection = new ReconnectingConnection({
      servers: parseServers(url),
      name,
      inboxPrefix: `turnhouse.${cluster}.inbox`,
      retryMs: allTimings.retryMs,
      warnings,
      onConnected: (connection) => this.#restore(connection),
      onLost: () => this.#links.abandon(),
    })
  }

  get state(): BusState {
    return this.#connection.state
  }

  onState(listener: (state: BusState) => void): () => void {
    return this.#connection.onState(listener)
  }

  get counters(): BusCounters {
    return { ...this.#links.counters, reconnects: this.#connection.reconnects }
  }

  /** NATS and its servers, without credentials. */
  get place(): string {
    return this.#connection.place
  }

  /** Accepts links to this host, now or as soon as NATS can be reached, and again after each reconnect. */
  async listen(hostId: string, maxLineBytes: number, onConnection: OnConnection): Promise<LineListener> {
    const listener = new HostListener(this.#secret(hostId), this.#links, lines(maxLineBytes, onConnection))
    const existing = this.#connection.current
    this.#listeners.add(listener)
    if (existing !== undefined) listener.listen(existing)
    await this.#connection.open()
    await this.#connection.flushed()
    return {
      close: async () => {
        this.#listeners.delete(listener)
        listener.close()
      },
    }
  }

  /** Rejects with a `LinkFault`: at once when no process listens for the host, else after `patienceMs`. */
  async connect(
    hostId: string,
    maxLineBytes: number,
    onConnection: OnConnection,
    patienceMs: number,
  ): Promise<LineConnection> {
    const secret = this.#secret(hostId)
    const deadline = performance.now() + patienceMs
    const connection = await this.#connection.within(patienceMs)
    const { nonce, message } = createRequest(secret)
    const reply = await this.#request(connection, secret, message, deadline)
    const replyNonce = readReply(secret, nonce, this.#links.countIn(reply))
    if (replyNonce === undefined) throw refused(hostId)
    if (this.#connection.current !== connection)
      throw new LinkFault("unreachable", `the connection to ${this.place} was lost`)
    const { toHost, toClient } = linkSecrets(secret, nonce, replyNonce)
    const link = this.#links.open(connection, [toClient, toHost], lines(maxLineBytes, onConnection))
    link.start()
    return link
  }

  /** Delivers what was sent, within limits, and closes all links and listeners. */
  async close(): Promise<void> {
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener.stop()
    await this.#links.end(END_MS)
    await this.#connection.close()
  }

  #restore(connection: NatsConnection): void {
    this.#links.sendFarewells(connection)
    for (const listener of this.#listeners) listener.listen(connection)
  }

  async #request(connection: NatsConnection, secret: HostSecret, message: Uint8Array, deadline: number): Promise<Msg> {
    const timeout = Math.max(1, deadline - performance.now())
    try {
      return await connection.request(hostSubject(secret), message, { timeout })
    } catch (fault) {
      throw this.#linkFault(secret.hostId, fault)
    }
  }

  #linkFault(hostId: string, fault: unknown): LinkFault {
    if (fault instanceof TimeoutError)
      return new LinkFault("no-answer", `host ${hostId} did not answer over ${this.place} in time. Retry later.`, fault)
    if (fault instanceof RequestError && fault.isNoResponders())
      return new LinkFault(
        "no-host",
        `host ${hostId} does not listen on ${this.place}: it has ended or lost NATS.`,
        fault,
      )
    const what = fault instanceof Error ? fault.message : String(fault)
    return new LinkFault("unreachable", `${this.place} cannot be reached (${what}). Retry later.`, fault)
  }

  #secret(hostId: string): HostSecret {
    return { key: this.#key, cluster: this.#cluster, hostId: subjectToken("host id", hostId) }
  }
}

function refused(hostId: string): LinkFault {
  const what = `host ${hostId} refused the link: its key is another one, or it is opening too many links.`
  return new LinkFault("refused", `${what} Copy the same keys to all nodes of the cluster.`)
}

function lines(maxLineBytes: number, onConnection: OnConnection): (connection: LineConnection) => ByteReader {
  return (connection) => {
    const splitter = new LineSplitter(maxLineBytes, onConnection(connection))
    return { bytes: (chunk) => void splitter.push(chunk), end: () => splitter.end() }
  }
}

/** Dots and wildcards have a meaning in subjects. */
function subjectToken(what: string, text: string): string {
  if (/^[\w-]{1,100}$/.test(text)) return text
  throw new Error(`the ${what} "${text}" must have 1 to 100 letters, digits, - or _`)
}
