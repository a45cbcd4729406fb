// Readers and listeners of a viewer. A slow reader loses unread events and gets a gap instead, so that memory is bounded
// and the agent is never held back.
import { EventQueue } from "../base/event-queue.ts"
import { Listeners } from "../base/listeners.ts"
import type { ViewerEvent } from "./viewer-event.ts"

const MAX_UNREAD = 4096
/** Characters. */
const MAX_UNREAD_TEXT = 16 * 1024 * 1024

export class ViewerEvents {
  readonly #readers = new Set<EventQueue<ViewerEvent>>()
  readonly #listeners = new Listeners<ViewerEvent>()

  emit(event: ViewerEvent, weight: number): void {
    this.#listeners.emit(event)
    for (const reader of this.#readers) reader.push(event, weight)
  }

  listen(listener: (event: ViewerEvent) => void): () => void {
    return this.#listeners.add(listener)
  }

  read(): EventQueue<ViewerEvent> {
    const reader: EventQueue<ViewerEvent> = new EventQueue({
      maxItems: MAX_UNREAD,
      maxWeight: MAX_UNREAD_TEXT,
      onOverflow: gapOf,
      onReturn: () => void this.#readers.delete(reader),
    })
    this.#readers.add(reader)
    return reader
  }

  end(): void {
    for (const reader of this.#readers) reader.end()
  }
}

function gapOf(unread: readonly ViewerEvent[]): ViewerEvent {
  return { kind: "gap", missed: unread.reduce((sum, event) => sum + (event.kind === "gap" ? event.missed : 1), 0) }
}
