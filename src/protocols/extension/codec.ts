// JSON-RPC bodies of a host and an extension. Decoding never throws. Encoded bodies are ASCII: a widely used shell
// template reads as many characters as the header announces bytes.
import { type JsonObject, isJsonObject, tryParseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { asciiJson } from "../ascii-json.ts"
import type { HookEvent } from "./frames.ts"
import type { Fault } from "./generated/frames.js"

export type Answer =
  | { readonly kind: "result"; readonly value: JsonValue }
  | { readonly kind: "error"; readonly code: number; readonly message: string }

export type FromExtension =
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "call"; readonly id: string | number; readonly method: string; readonly params: JsonValue }
  | { readonly kind: "notice"; readonly method: string; readonly params: JsonValue }
  /** JSON that is none of these. */
  | { readonly kind: "nothing" }
  | { readonly kind: "not-json" }
  | { readonly kind: "too-deep" }

const jsonrpc = "2.0"
const nothing = { kind: "nothing" } as const

/** Depth is limited because readers of the result may recurse. An answer must have an integer as its id. */
export function decodeBody(body: string, maxDepth = Infinity): FromExtension {
  const value = tryParseJson(body)
  if (value === undefined) return { kind: "not-json" }
  if (maxDepth !== Infinity && isDeeper(value, maxDepth)) return { kind: "too-deep" }
  if (!isJsonObject(value)) return nothing
  const { id, method, params = null } = value
  const isCall = typeof id === "number" || typeof id === "string"
  if (typeof method === "string")
    return isCall ? { kind: "call", id, method, params } : { kind: "notice", method, params }
  if (typeof id !== "number" || !Number.isSafeInteger(id)) return nothing
  return { kind: "answer", id, answer: answerIn(value) }
}

/** With an integer as id and the members in this order, as extensions have always seen them. */
export function encodeRequest(id: number, method: string, params: JsonValue | HookEvent): string {
  return asciiJson({ jsonrpc, method, params, id })
}

export function encodeResponse(id: string | number, answer: Answer): string {
  if (answer.kind === "result") return asciiJson({ jsonrpc, result: answer.value, id })
  return asciiJson({ jsonrpc, error: { code: answer.code, message: answer.message }, id })
}

export function encodeNotification(method: string, params: JsonValue): string {
  return asciiJson({ jsonrpc, method, params })
}

/** The first error of a check: where and what. */
export function firstFault(faults: readonly Fault[] | null | undefined): string {
  const [first] = faults ?? []
  return first === undefined ? "unreadable" : `${first.instancePath.slice(1)} ${first.message}`.trim()
}

/** An error of null counts as none. */
function answerIn({ error, result = null }: JsonObject): Answer {
  if (error === undefined || error === null) return { kind: "result", value: result }
  const { code, message } = isJsonObject(error) ? error : {}
  return {
    kind: "error",
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : JSON.stringify(error),
  }
}

/** Recurses no deeper than `levels`. */
function isDeeper(value: JsonValue | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
