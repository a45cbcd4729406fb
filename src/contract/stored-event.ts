// The stored form of an event: one line of JSON that starts with its number, time and version. An event of a newer
// version, an unknown type or a wrong shape is reported, never guessed. Stored bytes are never rewritten; a changed shape
// is a new version with an upcast here.
import { isObject, tryParseJson } from "./json-object.ts"
import type { EventType, Recorded } from "./events.ts"
import { checkEvent, eventVersions } from "./generated/events.js"

export type DecodedEvent =
  | { readonly kind: "event"; readonly recorded: Recorded }
  | { readonly kind: "newer"; readonly type: string; readonly version: number; readonly known: number }
  | { readonly kind: "broken"; readonly what: string }

type Body = Record<string, unknown>

/** From `type@version` to the body of the next version. Empty while every event is at its first version. */
const upcasts: Record<string, (body: Body) => Body> = {}

export function encodeEvent({ seq, at, event }: Recorded): string {
  return JSON.stringify({ seq, at, v: eventVersions[event.type], ...event })
}

export function decodeEvent(stored: string): DecodedEvent {
  return decodeParsed(tryParseJson(stored))
}

/** The stored object itself, where it came inside other JSON. */
export function decodeParsed(stored: unknown): DecodedEvent {
  if (!isObject(stored)) return { kind: "broken", what: "it is not a JSON object" }
  const { seq, at, v: version, ...body } = stored
  const type = body["type"]
  if (!isInteger(seq) || !isInteger(at)) return { kind: "broken", what: "it has no place or time" }
  if (typeof type !== "string" || !isInteger(version)) return { kind: "broken", what: "it has no type" }
  const known = isEventType(type) ? eventVersions[type] : 0
  if (version > known) return { kind: "newer", type, version, known }
  const event: unknown = upcast(type, version, known, body)
  if (!checkEvent(type, event)) return { kind: "broken", what: `it does not have the shape of ${type}` }
  return { kind: "event", recorded: { seq, at, event } }
}

/** JSON can hold a number that is none here, such as 1e400. */
function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function upcast(type: string, version: number, known: number, body: Body): Body {
  let current = body
  for (let from = version; from < known; from++) current = upcasts[`${type}@${from}`]?.(current) ?? current
  return current
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(eventVersions, type)
}
