// The stream on which a server over HTTP sends what no request asked for, such as that its tools changed. A lost one is opened
// again for as long as the connection lasts, and its owner is informed, because a notice may have been lost in between.
import { setTimeout as pause } from "node:timers/promises"
import type { Fetch } from "./bounded-fetch.ts"

/** Between two streams: a server can make the SDK open the next one at once. */
const REOPEN_MS = 250
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 60_000
/** A stream that lasted this long is opened again at once. Some servers end each at once. */
const STABLE_MS = 10_000
/** Ids of events of unfinished responses: a stream that continues at one of them is not this stream. */
const MAX_EVENT_IDS = 1000
/** The server has no such stream. */
const NO_STREAM = 405

export class EventStream {
  readonly #fetch: Fetch
  readonly #onReopened: () => void
  readonly #eventIds = new Set<string>()
  #openedAt: number | undefined
  #pauseMs = FIRST_PAUSE_MS
  #notBefore = 0

  constructor(fetch: Fetch, onReopened: () => void) {
    this.#fetch = fetch
    this.#onReopened = onReopened
  }

  /** For the transport. */
  readonly fetch: Fetch = async (url, init) => {
    if (init?.method !== "GET") return this.#fetch(url, init)
    await this.#pace(init.signal)
    const eventId = new Headers(init.headers).get("last-event-id")
    const isOfResponse = eventId !== null && this.#eventIds.has(eventId)
    return isOfResponse ? this.#fetch(url, init) : this.#open(url, init)
  }

  /** An event of the response to a request. */
  noteResponseEvent(eventId: string): void {
    this.#eventIds.delete(eventId)
    this.#eventIds.add(eventId)
    const [oldest] = this.#eventIds
    if (oldest !== undefined && this.#eventIds.size > MAX_EVENT_IDS) this.#eventIds.delete(oldest)
  }

  async #open(url: string | URL, init: RequestInit): Promise<Response> {
    if (this.#wasBrief()) await this.#pause(init.signal)
    else this.#pauseMs = FIRST_PAUSE_MS
    for (;;) {
      const response = await this.#attempt(url, init)
      if (response?.ok) {
        if (this.#openedAt !== undefined) this.#onReopened()
        this.#openedAt = performance.now()
      }
      if (response !== undefined) return response
      await this.#pause(init.signal)
    }
  }

  #wasBrief(): boolean {
    return this.#openedAt !== undefined && performance.now() - this.#openedAt < STABLE_MS
  }

  async #pause(signal: AbortSignal | null | undefined): Promise<void> {
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
    await rest(pauseMs, signal)
  }

  /** Nothing if it has to be repeated. The first stream of a connection is not: not every server has one. */
  async #attempt(url: string | URL, init: RequestInit): Promise<Response | undefined> {
    if (this.#openedAt === undefined) return this.#fetch(url, init)
    try {
      const response = await this.#fetch(url, init)
      if (response.ok || response.status === NO_STREAM) return response
      await response.body?.cancel()
    } catch (fault) {
      if (init.signal?.aborted) throw fault // the connection ended
    }
    return undefined
  }

  async #pace(signal: AbortSignal | null | undefined): Promise<void> {
    const now = performance.now()
    const waitMs = this.#notBefore - now
    this.#notBefore = Math.max(now, this.#notBefore) + REOPEN_MS
    if (waitMs > 0) await rest(waitMs, signal)
  }
}

async function rest(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  await pause(ms, undefined, { ref: false, ...(signal ? { signal } : {}) })
}
