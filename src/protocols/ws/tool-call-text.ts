// A tool call as text for a visitor who must confirm it. A value cannot look like another field, no character is
// invisible or reverses the line, and a long value leaves room for the others.
import { isJsonObject, textIn } from "../../contract/json-object.ts"
import { withVisibleCharacters } from "../../contract/text/text.ts"
import type { JsonValue } from "../../contract/values.ts"

/** Characters of all fields, of one value at least, and of a field's name. */
const MAX_INPUT_LENGTH = 500
const MIN_VALUE_LENGTH = 40
const MAX_NAME_LENGTH = 60

/** Text that can only be one value, and needs no quotes. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} _.@+/-]*[\p{L}\p{N}])?$/u

export function confirmationText(tool: string, input: JsonValue | undefined): string {
  const fields = isJsonObject(input) ? fieldsText(Object.entries(input)) : ""
  return `Tool '${tool}' requires confirmation${fields === "" ? "" : ` (${fields})`}. Allow?`
}

/** Clients expect an object; other input, or input that is not JSON, is sent as `_raw`. */
export function argumentsOf(input: JsonValue): JsonValue {
  if (!isJsonObject(input)) return { _raw: JSON.stringify(input) }
  const unparsed = Object.keys(input).length === 1 ? textIn(input, "unparsed") : undefined
  return unparsed === undefined ? input : { _raw: unparsed }
}

/** As many fields as fit, then the number of the others. */
function fieldsText(entries: readonly (readonly [string, JsonValue | undefined])[]): string {
  const room = Math.max(MIN_VALUE_LENGTH, Math.floor(MAX_INPUT_LENGTH / Math.max(1, entries.length)))
  const shown: string[] = []
  let length = 0
  for (const [name, value] of entries) {
    const field = `${valueText(name, MAX_NAME_LENGTH)}: ${valueText(value, room)}`
    if (shown.length > 0 && length + field.length > MAX_INPUT_LENGTH) break
    shown.push(field)
    length += field.length
  }
  const left = entries.length - shown.length
  return left === 0 ? shown.join(", ") : `${shown.join(", ")}, and ${left} more`
}

function valueText(value: JsonValue | undefined, maxLength: number): string {
  const text = withVisibleCharacters(
    typeof value === "string" && plain.test(value) ? value : (JSON.stringify(value) ?? ""),
  )
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`
}
