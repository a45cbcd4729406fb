// What is wrong with the input of a call, as far as names and types of its top-level fields tell. The server checks the
// rest: its schema is not run here, because patterns in it could occupy the host.
import { isJsonObject, memberIn } from "../../contract/json-object.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { shortened } from "../../contract/text/text.ts"
import type { JsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"

const MAX_LISTED = 40
const MAX_NAME_LENGTH = 64

export function shallowProblem(schema: JsonObject, input: JsonValue): string | undefined {
  if (!isJsonObject(input)) return "The input must be an object."
  const { required, additionalProperties } = schema
  const properties = memberIn(schema, "properties") ?? {}
  const missing = Array.isArray(required) ? required.filter((name) => isMissing(input, name)) : []
  if (missing.length > 0) return `The input lacks ${missing.slice(0, MAX_LISTED).join(", ")}.`
  const wrong = Object.entries(input).find(
    ([name, value]) => !fitsType(memberIn(memberIn(properties, name), "type"), value),
  )
  if (wrong !== undefined) return `'${wrong[0]}' must be ${typeText(memberIn(memberIn(properties, wrong[0]), "type"))}.`
  return additionalProperties === false ? unknownField(properties, input) : undefined
}

function isMissing(input: JsonObject, name: JsonValue): boolean {
  return typeof name === "string" && input[name] === undefined
}

function unknownField(properties: JsonValue, input: JsonObject): string | undefined {
  const known = isJsonObject(properties) ? Object.keys(properties) : []
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown === undefined) return undefined
  const nearest = nearestKey(unknown, known)
  const hint =
    nearest?.close === true
      ? ` Did you mean '${nearest.key}'?`
      : ` There are: ${known.slice(0, MAX_LISTED).join(", ")}.`
  return `There is no field '${shortened(unknown, MAX_NAME_LENGTH)}'.${hint}`
}

function fitsType(type: JsonValue | undefined, value: JsonValue | undefined): boolean {
  if (Array.isArray(type)) return type.length === 0 || type.some((one) => fitsType(one, value))
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type
    case "integer":
      return Number.isInteger(value)
    case "array":
      return Array.isArray(value)
    case "object":
      return isJsonObject(value)
    case "null":
      return value === null
    default:
      return true // no type, or one that this check does not know
  }
}

function typeText(type: JsonValue | undefined): string {
  const types = Array.isArray(type) ? type : [type]
  return `of the type ${types.filter((one) => typeof one === "string").join(" or ")}`
}
