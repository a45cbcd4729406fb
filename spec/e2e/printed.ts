// Parses what the program prints as JSON: lines of events and deltas, and single documents.
import type { EventOf, EventType, Recorded } from "../../src/contract/events.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { decodeEvent } from "../../src/contract/stored-event.ts"

export type Json = Readonly<Record<string, unknown>>

export function json(text: string): unknown {
  return JSON.parse(text)
}

export function object(text: string): Json {
  const value = json(text)
  if (!isObject(value)) throw new Error(`not a JSON object: ${text}`)
  return value
}

export function objects(text: string): readonly Json[] {
  const value = json(text)
  if (!Array.isArray(value)) throw new Error(`not a JSON list: ${text}`)
  return value.filter(isObject)
}

/** Lines that have a `seq` are events; the others (deltas, streamed text) are not. */
export function isEventLine(line: string): boolean {
  return line.startsWith("{") && typeof object(line)["seq"] === "number"
}

export function recorded(line: string): Recorded {
  const decoded = decodeEvent(line)
  if (decoded.kind !== "event") throw new Error(`not an event: ${line}`)
  return decoded.recorded
}

export function eventLines(output: string): readonly string[] {
  return output.split("\n").filter((line) => line !== "" && isEventLine(line))
}

export function eventsIn(output: string): readonly Recorded[] {
  return eventLines(output).map(recorded)
}

export function typesIn(output: string): readonly EventType[] {
  return eventsIn(output).map(({ event }) => event.type)
}

/** All events of a type, in order. */
export function eventsOf<Type extends EventType>(output: string, type: Type): readonly EventOf<Type>[] {
  return output.split("\n").flatMap((line) => eventIn(line, type))
}

/** The event if the line is one of this type, else nothing. */
export function eventIn<Type extends EventType>(line: string, type: Type): readonly EventOf<Type>[] {
  const decoded = decodeEvent(line)
  return decoded.kind === "event" && isOf(decoded.recorded.event, type) ? [decoded.recorded.event] : []
}

function isOf<Type extends EventType>(event: Recorded["event"], type: Type): event is EventOf<Type> {
  return event.type === type
}
