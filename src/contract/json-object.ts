// Parsing JSON and looking into JSON of unknown form.
import type { JsonValue } from "./values.ts"

export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/** Throws a SyntaxError where the text is not JSON. */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text)
  return value
}

/** Undefined where the text is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Looks at every member. For values whose type does not say that they are JSON. */
export function isJson(value: unknown): value is JsonValue {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return true
  if (Array.isArray(value)) return value.every(isJson)
  return isObject(value) && Object.values(value).every((member) => member === undefined || isJson(member))
}

/** An object with members, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return isObject(value)
}

/** An own member; undefined where it is missing, or where there is no object at all. */
export function memberIn(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const member = memberIn(value, name)
  return typeof member === "string" ? member : undefined
}
