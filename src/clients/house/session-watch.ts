// Who watches one session through one client. The host tells a session once per connection; each watcher here has a
// cursor of its own and is told what comes after it. What arrives before the answer to the newest `open` belongs to an
// earlier one and is left out: it comes again.
import type { Watcher, WatchItem } from "../../contract/host-port.ts"
import type { Refusal } from "../../contract/refusals.ts"

export interface Viewer {
  cursor: number
  watcher: Watcher
}

export class Watching {
  readonly #viewers = new Set<Viewer>()
  /** The newest `open`. */
  #opening = 0
  #isOpen = false

  get isEmpty(): boolean {
    return this.#viewers.size === 0
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** From where the host must tell, so that nobody misses anything. */
  get cursor(): number {
    return Math.min(...[...this.#viewers].map((viewer) => viewer.cursor))
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer)
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer)
  }

  begin(): number {
    this.#isOpen = false
    return (this.#opening += 1)
  }

  isNewest(opening: number): boolean {
    return opening === this.#opening
  }

  opened(): void {
    this.#isOpen = true
  }

  tell(item: WatchItem): void {
    for (const viewer of this.#viewers) show(viewer, item)
  }

  /** The last word to everybody. */
  lose(refusal: Refusal): void {
    this.tell({ kind: "lost", refusal })
    this.#viewers.clear()
  }
}

function show(viewer: Viewer, item: WatchItem): void {
  if (item.kind === "event") {
    if (item.recorded.seq <= viewer.cursor) return
    viewer.cursor = item.recorded.seq
  }
  try {
    viewer.watcher(item)
  } catch (fault) {
    queueMicrotask(() => {
      throw fault // a bug of its own: it must be seen, and must not hurt the other watchers
    })
  }
}
