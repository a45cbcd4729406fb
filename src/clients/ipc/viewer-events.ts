// Events of a viewer, their readers and listeners. A slow reader loses unread events and gets a gap instead, so that memory is bounded
// and the agent is never held back.
import { EventQueue } from "../base/event-queue.ts"
import { Listeners } from "../base/listeners.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"

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

export type MessageOf<Type extends AgentMessage["type"]> = Extract<AgentMessage, { type: Type }>

export type ViewerEvent =
  | { readonly kind: "message"; readonly message: AgentMessage }
  /** The agent sent something unreadable; it was ignored. */
  | { readonly kind: "notice"; readonly what: string }
  /** The connection is lost; the next attempt follows after `delayMs`, if there is one. */
  | { readonly kind: "lost"; readonly why: string; readonly delayMs: number | undefined }
  /** Reconnected. A whole sync follows. */
  | { readonly kind: "reattached" }
  /** This reader was too slow and missed events. The viewer's state includes them. */
  | { readonly kind: "gap"; readonly missed: number }
