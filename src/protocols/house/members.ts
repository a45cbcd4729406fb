// Required fields of an answer. A missing one is a fault: the peer does not speak the house wire.
import { isObject } from "../../contract/json-object.ts"

export function numberIn(value: unknown, name: string): number {
  const member = memberOf(value, name)
  if (typeof member === "number") return member
  throw new Error(`an answer has no number '${name}'`)
}

export function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name)
  if (typeof member === "string") return member
  throw new Error(`an answer has no text '${name}'`)
}

export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
