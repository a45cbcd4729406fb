// Looking into JSON whose form nobody has promised.
import type { JsonValue } from "./values.ts"

export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/** An object with members, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A member of its own; nothing where it is missing, or where there is no object at all. */
export function memberIn(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const member = memberIn(value, name)
  return typeof member === "string" ? member : undefined
}
