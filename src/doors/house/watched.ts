// One session that one client watches, with the cursor up to which it was told. When too much waits for the client, it
// is told nothing more until it has read that; then it goes on after its cursor from the log. If it was live before,
// deltas were left out, and it is told of the gap.
import type { OpenedHandle, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { lineOf } from "../../protocols/house/tell.ts"
import type { Outbox } from "./outbox.ts"

export interface WatchedDeps {
  readonly sessionId: SessionId
  readonly outbox: Outbox
  /** The session may have been closed and opened anew, or moved, while the client did not listen. */
  readonly reopen: () => Promise<OpenedHandle>
  readonly onStopped: () => void
}

export class Watched {
  readonly #deps: WatchedDeps
  #cursor = 0
  #unwatch: (() => void) | undefined
  #isStopped = false
  #isLive = false
  /** Ends the reading that is under way: an earlier one may not be over when the next begins. */
  #reading = new AbortController()

  constructor(deps: WatchedDeps) {
    this.#deps = deps
  }

  /** Everything after the cursor. Never rejects: what goes wrong ends the watching, and the client is told. */
  async follow(handle: SessionHandle, cursor: number): Promise<void> {
    this.#cursor = cursor
    await this.#follow(handle).catch((fault: unknown) => this.#fail(fault))
  }

  stop(): void {
    this.#isStopped = true
    this.#leave()
    this.#deps.onStopped()
  }

  async #follow(handle: SessionHandle): Promise<void> {
    if (this.#isStopped) return
    this.#isLive = false
    this.#reading = new AbortController()
    const { signal } = this.#reading
    const hear = (item: WatchItem) => {
      if (!signal.aborted) this.#pass(item)
    }
    const unwatch = await handle.watch(this.#cursor, hear, signal)
    if (signal.aborted) return unwatch()
    this.#unwatch = unwatch
    this.#isLive = true
  }

  #pass(item: WatchItem): void {
    const { outbox, sessionId } = this.#deps
    outbox.tell(lineOf(sessionId, item))
    if (item.kind === "event") this.#cursor = item.recorded.seq
    else this.#isLive = true
    if (item.kind === "lost") this.stop()
    else if (outbox.isFull) this.#catchUp().catch((fault: unknown) => this.#fail(fault))
  }

  async #catchUp(): Promise<void> {
    const { outbox, reopen, sessionId } = this.#deps
    const missesDeltas = this.#isLive
    this.#leave()
    await outbox.emptied()
    if (this.#isStopped) return
    const opened = await reopen()
    if (this.#isStopped) return
    if (opened.kind === "refused") return this.#lose(opened.refusal)
    if (missesDeltas) outbox.say({ type: "gap", sessionId, cursor: this.#cursor })
    await this.#follow(opened.handle)
  }

  #fail(fault: unknown): void {
    if (!this.#isStopped) this.#lose({ code: "log.unavailable", what: String(fault) })
  }

  #lose(refusal: Refusal): void {
    this.#deps.outbox.say({ type: "closed", sessionId: this.#deps.sessionId, refusal })
    this.stop()
  }

  #leave(): void {
    this.#reading.abort()
    this.#unwatch?.()
    this.#unwatch = undefined
  }
}
