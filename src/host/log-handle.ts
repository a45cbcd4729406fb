// A session whose owner is alive on another node that cannot be reached from here: its events are read from the log, without
// deltas, until the node can be reached again or the session has another owner.
import { setTimeout as sleep } from "node:timers/promises"
import type { SendOutcome, SessionHandle, Watcher } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import type { EventLog, LiveHost } from "../log/event-log.ts"

export interface UnreachableOwner {
  readonly log: EventLog
  readonly owner: LiveHost
  /** Whether a connection to the owner succeeds now. */
  readonly isReachable: () => Promise<boolean>
}

const LOOK_MS = 500
const PAGE = 500
/** How long a command waits for the owner: the bus may only be restarting. */
const SEND_MS = 5000

export class LogHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #from: UnreachableOwner

  constructor(sessionId: SessionId, from: UnreachableOwner) {
    this.sessionId = sessionId
    this.#from = from
  }

  async send(): Promise<SendOutcome> {
    for (const deadline = performance.now() + SEND_MS; performance.now() < deadline; await sleep(LOOK_MS))
      if (await this.#isOver()) return gone
    const { owner } = this.#from
    const what = `node '${owner.node?.name}' runs the session and cannot be reached: check the bus. The session goes on there.`
    return { kind: "refused", refusal: { code: "host.unreachable", what } }
  }

  async watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void> {
    const stopping = new AbortController()
    const stopped = signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal])
    const seen = await this.#pass(cursor, watcher, stopped)
    void this.#follow(seen, watcher, stopped)
    return () => stopping.abort()
  }

  async #follow(cursor: number, watcher: Watcher, stopped: AbortSignal): Promise<void> {
    let seen = cursor
    while (!stopped.aborted) {
      await sleep(LOOK_MS, undefined, { signal: stopped }).catch(() => {}) // aborted
      if (stopped.aborted) return
      seen = await this.#pass(seen, watcher, stopped)
      if (!stopped.aborted && (await this.#isOver())) return watcher({ kind: "lost", refusal: gone.refusal })
    }
  }

  /** What is stored after the cursor. A log that cannot be read now is read again later. */
  async #pass(cursor: number, watcher: Watcher, stopped: AbortSignal): Promise<number> {
    let seen = cursor
    for (;;) {
      const page = await this.#from.log.read(this.sessionId, seen, PAGE)
      if (page.kind === "refused" || stopped.aborted) return seen
      for (const recorded of page.value) watcher({ kind: "event", recorded })
      seen = page.value.at(-1)?.seq ?? seen
      if (page.value.length < PAGE) return seen
    }
  }

  async #isOver(): Promise<boolean> {
    const { log, owner, isReachable } = this.#from
    const row = await log.find(this.sessionId)
    if (row.kind === "ok" && row.value.owner?.hostId !== owner.hostId) return true
    return isReachable()
  }
}

const gone = { kind: "refused", refusal: { code: "host.gone" } } as const
