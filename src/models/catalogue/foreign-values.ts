// Values of JSON that a server or a file outside this program made: what is not of the expected kind is unknown.
import { isObject } from "../../contract/json-object.ts"

const none: Readonly<Record<string, unknown>> = {}

/** Without members for anything that is not an object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : none
}

export function listed(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

export function yesOrNo(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined
}

/** A number of tokens; providers write 0 for what they do not know. */
export function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

export function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
