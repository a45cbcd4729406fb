// Whoever follows a viewer: readers that take events one by one, and listeners that are called. A listener that throws
// stops neither the viewer nor the others: its fault is the process's to hear.
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import { EventReader } from "./event-reader.ts"
import type { ViewerEvent } from "./viewer-event.ts"

export type MessageOf<Type extends AgentMessage["type"]> = Extract<AgentMessage, { type: Type }>

export class Audience {
  readonly #readers = new Set<EventReader>()
  readonly #listeners = new Set<(event: ViewerEvent) => void>()

  tell(event: ViewerEvent, weight: number): void {
    for (const listener of this.#listeners) call(listener, event)
    for (const reader of this.#readers) reader.push(event, weight)
  }

  listen(listener: (event: ViewerEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  reader(): EventReader {
    const reader: EventReader = new EventReader(() => this.#readers.delete(reader))
    this.#readers.add(reader)
    return reader
  }

  end(): void {
    for (const reader of this.#readers) reader.end()
  }
}

export function isOf<Type extends AgentMessage["type"]>(message: AgentMessage, type: Type): message is MessageOf<Type> {
  return message.type === type
}

function call(listener: (event: ViewerEvent) => void, event: ViewerEvent): void {
  try {
    listener(event)
  } catch (fault) {
    queueMicrotask(() => {
      throw fault
    })
  }
}
