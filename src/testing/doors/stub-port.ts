// For tests of doors: a port with a session that the test controls, and a connection without a socket.
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import type { Answered, HostPort, SessionHandle, Watcher, WatchItem } from "../../contract/host-port.ts"
import type { LineConnection } from "../../transports/line-connection.ts"

export const stubId = "01890000-0000-7000-8000-000000000001"

/** The test publishes its items. */
export class StubSession implements SessionHandle {
  readonly sessionId = stubId
  readonly watchers = new Set<Watcher>()
  readonly cursors: number[] = []
  readonly sent: string[] = []
  /** Events of its log, sent to a client that joins before them. */
  stored: WatchItem[] = []

  async send(command: { readonly type: string }) {
    this.sent.push(command.type)
    return { kind: "accepted", seq: this.sent.length } as const
  }

  async watch(cursor: number, watcher: Watcher): Promise<() => void> {
    this.cursors.push(cursor)
    for (const item of this.stored) if (item.kind === "event" && item.recorded.seq > cursor) watcher(item)
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  publish(item: WatchItem): void {
    if (item.kind === "event") this.stored.push(item)
    for (const watcher of this.watchers) watcher(item)
  }
}

type StubAnswers = {
  readonly [Type in QueryType]?: (query: Queries[Type]) => Promise<Answered<Answers[Type]>>
}

/** Every other query is refused. */
export function stubQueries(answers: StubAnswers): HostPort["query"] {
  return async (query) => (await answers[query.type]?.(query)) ?? unavailable
}

const unavailable = { kind: "refused", refusal: { code: "host.leaving" } } as const

export function stubPort(session: SessionHandle, change: Partial<HostPort> = {}): HostPort {
  return {
    open: async () => ({ kind: "opened", handle: session }),
    create: async () => ({ kind: "opened", handle: session }),
    query: async () => unavailable,
    perform: async () => unavailable,
    ...change,
  }
}

export function eventItem(seq: number, text = "."): WatchItem {
  return { kind: "event", recorded: { seq, at: 0, event: { type: "text.ended", stepId: "stp_1", block: 0, text } } }
}

export function deltaItem(delta: string): WatchItem {
  return { kind: "delta", delta: { type: "text.delta", stepId: "stp_1", block: 0, delta } }
}

export class StubConnection implements LineConnection {
  readonly frames: Record<string, unknown>[] = []
  readonly #closed = Promise.withResolvers<void>()
  readonly closed = this.#closed.promise
  #drained = Promise.withResolvers<void>()
  waiting = 0
  isPaused = false
  isEnded = false
  isDestroyed = false

  send(line: string): void {
    this.frames.push(JSON.parse(line))
  }

  sendBytes(line: Uint8Array): void {
    this.send(Buffer.from(line).toString())
  }

  drained(): Promise<void> {
    return this.#drained.promise
  }

  /** The peer reads everything. */
  drain(): void {
    this.waiting = 0
    this.#drained.resolve()
    this.#drained = Promise.withResolvers()
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  end(): void {
    this.isEnded = true
  }

  destroy(): void {
    this.isDestroyed = true
    this.#closed.resolve()
  }
}
