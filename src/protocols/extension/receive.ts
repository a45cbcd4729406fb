// Bodies from an extension into what they are: the answer to a request, a call of its own, a notice, or nothing that
// anybody can use. Nothing here throws. An answer whose id is not a whole number answers nobody.
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

type Members = { readonly [key: string]: JsonValue | undefined }

const nothing = { kind: "nothing" } as const

export function receive(body: string): FromExtension {
  const value = parse(body)
  if (value === undefined) return { kind: "not-json" }
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

function parse(body: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(body)
    return value
  } catch {
    return undefined
  }
}
