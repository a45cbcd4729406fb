// Bodies for a provider package: the events of an answer that was read in part, and one whose connection breaks.
import type { EventSource } from "./event-source.ts"

export interface ReplayedEvents {
  /** Those that were read. */
  readonly events: readonly string[]
  /** Those of the newest bytes that are not known. */
  readonly rest: readonly string[]
  /** What is still to come. */
  readonly source: EventSource
  /** The rest is given after this. */
  readonly opened: Promise<void>
}

export function replayedBody({ events, rest, source, opened }: ReplayedEvents): ReadableStream<Uint8Array> {
  const given = [events, rest].filter((some) => some.length > 0)
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (given[0] !== events) await opened
    const next = given.shift() ?? (await source.next())
    if (next === undefined) controller.close()
    else controller.enqueue(encoder.encode(next.map(framed).join("")))
  }
  return new ReadableStream({ pull, cancel: (reason) => source.cancel(reason) }, { highWaterMark: 0 })
}

export function brokenBody(reason: unknown): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(reason) })
}

const encoder = new TextEncoder()

function framed(data: string): string {
  return `data: ${data.replaceAll("\n", "\ndata: ")}\n\n`
}
