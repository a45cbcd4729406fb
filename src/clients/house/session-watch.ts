// The watchers of one session on one connection. The host sends a session once per connection; each watcher has its own
// cursor and gets what comes after it. Items that arrive before the answer to the newest `open` belong to an earlier one
// and are ignored: the host sends them again.
import type { Watcher, WatchItem } from "../../contract/host-port.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { callListener } from "../base/listeners.ts"

export interface WatchEntry {
  cursor: number
  watcher: Watcher
}

export class SessionWatch {
  readonly #entries = new Set<WatchEntry>()
  /** Number of the newest `open`. */
  #opening = 0
  #isOpen = false
  #live = Promise.withResolvers<void>()
  #isLive = false

  /** Resolves when the host has sent all that was stored, or the watch is over. */
  get live(): Promise<void> {
    return this.#live.promise
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The lowest cursor: the host must send from here. */
  get cursor(): number {
    return Math.min(...[...this.#entries].map((entry) => entry.cursor))
  }

  add(entry: WatchEntry): void {
    this.#entries.add(entry)
  }

  remove(entry: WatchEntry): void {
    this.#entries.delete(entry)
  }

  /** Returns the number of the `open` that is being sent. */
  startOpening(): number {
    if (this.#isLive) this.#live = Promise.withResolvers() // else earlier watchers wait for it, too
    this.#isLive = false
    this.#isOpen = false
    return (this.#opening += 1)
  }

  isNewest(opening: number): boolean {
    return opening === this.#opening
  }

  /** A host of an older release does not tell when it is live. */
  markOpen(tellsLive: boolean): void {
    this.#isOpen = true
    if (!tellsLive) this.markLive()
  }

  /** Of an earlier `open` while the newest one is not answered: it does not count. */
  markLive(): void {
    if (this.#isOpen) this.#settle()
  }

  emit(item: WatchItem): void {
    for (const entry of this.#entries) emitTo(entry, item)
  }

  /** The last item of every watcher. */
  end(refusal: Refusal): void {
    this.emit({ kind: "lost", refusal })
    this.#entries.clear()
    this.#settle()
  }

  #settle(): void {
    this.#isLive = true
    this.#live.resolve()
  }
}

function emitTo(entry: WatchEntry, item: WatchItem): void {
  if (item.kind === "event") {
    if (item.recorded.seq <= entry.cursor) return
    entry.cursor = item.recorded.seq
  }
  callListener(entry.watcher, item)
}
