// Bodies from an extension into what they are: the answer to a request, a call of its own, a notice, or nothing that
// anybody can use. Nothing here throws. An answer whose id is not a whole number answers nobody. What an extension says
// may be nested only so deep: whoever stores, compares or prints it may go down level by level.
import type { JsonValue } from "../../contract/values.ts"

export type Answer =
  | { readonly kind: "result"; readonly value: JsonValue }
  | { readonly kind: "error"; readonly code: number; readonly message: string }

export type FromExtension =
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "call"; readonly id: string | number; readonly method: string; readonly params: JsonValue }
  | { readonly kind: "notice"; readonly method: string; readonly params: JsonValue }
  | { readonly kind: "nothing" }
  | { readonly kind: "not-json" }
  | { readonly kind: "too-deep" }

type Members = { readonly [key: string]: JsonValue | undefined }

const nothing = { kind: "nothing" } as const
/** Levels that a host takes from an extension, as many as the first host of this protocol could read. */
export const mostLevels = 128

export function receive(body: string, levels = Infinity): FromExtension {
  const value = parse(body)
  if (value === undefined) return { kind: "not-json" }
  if (levels !== Infinity && isDeeper(value, levels)) return { kind: "too-deep" }
  if (!isObject(value)) return nothing
  const { id, method, params = null } = value
  const isCall = typeof id === "number" || typeof id === "string"
  if (typeof method === "string")
    return isCall ? { kind: "call", id, method, params } : { kind: "notice", method, params }
  if (typeof id !== "number" || !Number.isSafeInteger(id)) return nothing
  return { kind: "answer", id, answer: answerIn(value) }
}

/** An error of null is none. */
function answerIn({ error, result = null }: Members): Answer {
  if (error === undefined || error === null) return { kind: "result", value: result }
  const { code, message } = isObject(error) ? error : {}
  return {
    kind: "error",
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : JSON.stringify(error),
  }
}

export function isObject(value: JsonValue): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Goes no deeper than it must. */
function isDeeper(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

function parse(body: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(body)
    return value
  } catch {
    return undefined
  }
}
