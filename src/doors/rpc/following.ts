// Follows a session for a parent as far as the parent reads. When its outbox is full the session is left alone; when
// there is room again everything after the last event that was told comes from the log, then the text so far: nothing
// is lost, nothing is told twice, and the session never notices.
import type { SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { Link } from "../../protocols/rpc/link.ts"
import type { Outbox } from "./outbox.ts"

export class Following {
  readonly #handle: SessionHandle
  readonly #link: Link
  readonly #outbox: Outbox
  readonly #afterwards: (item: WatchItem) => void
  #unwatch: (() => void) | undefined
  #isStopped = false
  #isBehind = false
  /** Which reading is the valid one: an earlier one may still be under way when the next begins. */
  #round = 0

  /** `afterwards` is called after each item that was told. */
  constructor(handle: SessionHandle, link: Link, outbox: Outbox, afterwards: (item: WatchItem) => void) {
    this.#handle = handle
    this.#link = link
    this.#outbox = outbox
    this.#afterwards = afterwards
  }

  async follow(): Promise<void> {
    this.#isBehind = false
    const round = (this.#round += 1)
    const unwatch = await this.#handle.watch(this.#link.seq, (item) => {
      if (round === this.#round) this.#pass(item)
    })
    if (this.#isStopped || this.#isBehind || round !== this.#round) unwatch()
    else this.#unwatch = unwatch
  }

  /** The parent has read what waited. */
  async goOn(): Promise<void> {
    if (!this.#isBehind || this.#isStopped) return
    this.#link.gap()
    await this.follow()
  }

  stop(): void {
    this.#isStopped = true
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  #pass(item: WatchItem): void {
    if (this.#isStopped || this.#isBehind) return
    this.#link.tell(item)
    if (this.#outbox.isFull) {
      this.#isBehind = true
      this.#unwatch?.()
      this.#unwatch = undefined
    }
    this.#afterwards(item)
  }
}
