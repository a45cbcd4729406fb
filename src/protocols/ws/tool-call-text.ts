// A call as visitors are told it. Whoever says yes must see to what: a value cannot pass for another member, nothing in it
// is invisible or turns the line around, and a long one leaves room for the others.
import { isJsonObject, textIn } from "../../contract/json-object.ts"
import { seen } from "../../contract/seen.ts"
import type { JsonValue } from "../../contract/values.ts"

const mostInput = 500
const leastValue = 40
const longestName = 60

/** A text that can be taken for nothing but one value. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} _.@+/-]*[\p{L}\p{N}])?$/u

/** The question that the visitor is asked. */
export function confirmationWords(tool: string, input: JsonValue | undefined): string {
  const members = isJsonObject(input) ? membersIn(Object.entries(input)) : ""
  return `Tool '${tool}' requires confirmation${members === "" ? "" : ` (${members})`}. Allow?`
}

/** Clients expect an object; what a model wrote that is none, or no JSON at all, is given as it came. */
export function argumentsOf(input: JsonValue): JsonValue {
  if (!isJsonObject(input)) return { _raw: JSON.stringify(input) }
  const unparsed = Object.keys(input).length === 1 ? textIn(input, "unparsed") : undefined
  return unparsed === undefined ? input : { _raw: unparsed }
}

/** As many as there is room for; of the others it is said how many they are. */
function membersIn(entries: readonly (readonly [string, JsonValue | undefined])[]): string {
  const room = Math.max(leastValue, Math.floor(mostInput / Math.max(1, entries.length)))
  const shown: string[] = []
  let length = 0
  for (const [name, value] of entries) {
    const member = `${shownAs(name, longestName)}: ${shownAs(value, room)}`
    if (shown.length > 0 && length + member.length > mostInput) break
    shown.push(member)
    length += member.length
  }
  const left = entries.length - shown.length
  return left === 0 ? shown.join(", ") : `${shown.join(", ")}, and ${left} more`
}

function shownAs(value: JsonValue | undefined, length: number): string {
  const text = typeof value === "string" && plain.test(value) ? value : (JSON.stringify(value) ?? "")
  return cut(seen(text), length)
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}
