// Reads single fields of what an MCP server sent. Nothing below them is looked at.
import { isObject } from "../../contract/json-object.ts"

/** An own field; undefined if it is missing or the value is not an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === "string" ? member : undefined
}

export function numberOf(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name)
  return typeof member === "number" && Number.isFinite(member) ? member : undefined
}

/** Undefined if the field is not a list. */
export function listOf(value: unknown, name: string): readonly unknown[] | undefined {
  const member = memberOf(value, name)
  return Array.isArray(member) ? member : undefined
}
