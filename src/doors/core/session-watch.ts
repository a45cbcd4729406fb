// Watches one session from a cursor for one reader. A reader that is behind is left alone until it has read what waits
// for it; then the watch continues after its cursor, from the log: nothing is lost, nothing comes twice, and the session
// never waits. A handle that finds the next owner of a session (clients/base/linked-handle.ts) makes the watch survive the loss
// of an owner; otherwise the last item is `lost`.
import type { OpenedHandle, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { Refusal } from "../../contract/refusals.ts"

/** Whether the reader keeps up. An `Outbox` is one. */
export interface Flow {
  isFull(): boolean
  /** Resolves when the reader has read what waited. */
  emptied(): Promise<void>
}

export interface SessionWatchOptions {
  /** Called in order. After `lost` nothing follows. */
  readonly onItem: (item: WatchItem) => void
  /** Checked after each item. Without one the reader always keeps up. */
  readonly flow?: Flow
  /** Live deltas were left out. The text so far follows as `streamed`, or the events that end it. */
  readonly onGap?: () => void
  /** The session may have been closed or moved while the reader was behind. Default: the same handle. */
  readonly reopen?: () => Promise<OpenedHandle>
}

export class SessionWatch {
  readonly #options: SessionWatchOptions
  #handle: SessionHandle | undefined
  #cursor = 0
  #isLive = false
  #isStopped = false
  /** Which reading counts: an earlier one may still be in progress when the next begins. */
  #round = 0
  #reading: AbortController | undefined
  #unwatch: (() => void) | undefined

  constructor(options: SessionWatchOptions) {
    this.#options = options
  }

  /** The last event that the reader was given. */
  get cursor(): number {
    return this.#cursor
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Everything after the cursor, first from the log, then live. Resolves when live. */
  async follow(handle: SessionHandle, cursor: number): Promise<void> {
    this.pause()
    if (this.#isStopped) return
    this.#handle = handle
    this.#cursor = cursor
    this.#isLive = false
    this.#reading = new AbortController()
    const round = this.#round
    const onItem = (item: WatchItem) => {
      if (round === this.#round) this.#pass(item)
    }
    const unwatch = await handle.watch(cursor, onItem, this.#reading.signal)
    if (round !== this.#round) return unwatch()
    this.#unwatch = unwatch
    this.#isLive = true
  }

  /** Leaves the session and keeps the cursor. */
  pause(): void {
    this.#round += 1
    this.#reading?.abort()
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  stop(): void {
    this.#isStopped = true
    this.pause()
  }

  #pass(item: WatchItem): void {
    const round = this.#round
    if (item.kind === "event") this.#cursor = item.recorded.seq
    else this.#isLive = true
    if (item.kind === "lost") this.stop()
    this.#options.onItem(item)
    if (this.#options.flow?.isFull() === true && round === this.#round) void this.#catchUp(this.#options.flow)
  }

  async #catchUp(flow: Flow): Promise<void> {
    const missesDeltas = this.#isLive
    this.pause()
    try {
      await flow.emptied()
      if (this.#isStopped) return
      const opened = await this.#reopened()
      if (this.#isStopped) return
      if (opened.kind === "refused") return this.#lose(opened.refusal)
      if (missesDeltas) this.#options.onGap?.()
      await this.follow(opened.handle, this.#cursor)
    } catch (fault) {
      this.#lose({ code: "log.unavailable", what: String(fault) })
    }
  }

  async #reopened(): Promise<OpenedHandle> {
    if (this.#options.reopen !== undefined) return this.#options.reopen()
    if (this.#handle === undefined) return { kind: "refused", refusal: { code: "host.gone" } }
    return { kind: "opened", handle: this.#handle }
  }

  #lose(refusal: Refusal): void {
    if (this.#isStopped) return
    this.stop()
    this.#options.onItem({ kind: "lost", refusal })
  }
}
