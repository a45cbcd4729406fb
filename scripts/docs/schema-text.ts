// The type of a setting in words, from its JSON Schema.
import { isObject } from "../../src/contract/json-object.ts"

export function schemaText(node: unknown): string {
  if (!isObject(node)) return "any value"
  const { anyOf, enum: values, const: value, type } = node
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(schemaText))].join(", or ")
  if (Array.isArray(values)) return values.map(literal).join(", ")
  if (value !== undefined) return literal(value)
  if (type === "array") return `list${items(node["items"])}${range(node, "minItems", "maxItems", "entries")}`
  if (type === "integer" || type === "number") return numberText(node)
  if (type === "string") return `text${range(node, "minLength", "maxLength", "characters")}`
  if (type === "boolean") return "`true` or `false`"
  return type === "object" ? objectText(node) : "any value"
}

function literal(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``
}

function items(node: unknown): string {
  const text = schemaText(node)
  return text === "any value" ? "" : ` of: ${text}`
}

function objectText({ properties, additionalProperties }: Readonly<Record<string, unknown>>): string {
  if (isObject(properties))
    return `object with ${Object.keys(properties)
      .map((key) => `\`${key}\``)
      .join(", ")}`
  return isObject(additionalProperties) ? `object; each value: ${schemaText(additionalProperties)}` : "object"
}

function numberText(node: Readonly<Record<string, unknown>>): string {
  const { type, minimum, maximum, exclusiveMinimum } = node
  const bounds = [
    typeof minimum === "number" ? `at least ${minimum}` : "",
    typeof exclusiveMinimum === "number" ? `above ${exclusiveMinimum}` : "",
    typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? `at most ${maximum}` : "",
  ].filter((part) => part !== "")
  return [type === "integer" ? "whole number" : "number", ...bounds].join(", ")
}

/** A minimum of one says only that it must not be empty, which is no news. */
function range(node: Readonly<Record<string, unknown>>, min: string, max: string, unit: string): string {
  const [least, most] = [node[min], node[max]]
  const parts = [
    typeof least === "number" && least > 1 ? `at least ${least}` : "",
    typeof most === "number" ? `at most ${most}` : "",
  ].filter((part) => part !== "")
  return parts.length === 0 ? "" : ` (${parts.join(", ")} ${unit})`
}
