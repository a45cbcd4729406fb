// Parses JSON and reads fields of JSON values of unknown shape.
import type { JsonValue } from "./values.ts"

export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/** Throws a SyntaxError if the text is not JSON. */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text)
  return value
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Checks every field. For values whose type does not say that they are JSON. */
export function isJson(value: unknown): value is JsonValue {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return true
  if (Array.isArray(value)) return value.every(isJson)
  return isObject(value) && Object.values(value).every((member) => member === undefined || isJson(member))
}

/** An object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value)
}

/** An own field; undefined if it is missing or the value is not an object. */
export function memberIn(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const member = memberIn(value, name)
  return typeof member === "string" ? member : undefined
}
