// JSON-RPC bodies of a host and a program that it has started: an extension, a language server. Decoding never throws.
// Encoded bodies are ASCII: a widely used shell template of extensions reads as many characters as the header announces
// bytes.
import { type JsonObject, isJsonObject, tryParseJson } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import { asciiJson, isDeeper } from "./json-text.ts"

export type Answer =
  | { readonly kind: "result"; readonly value: JsonValue }
  | { readonly kind: "error"; readonly code: number; readonly message: string }

export type RpcMessage =
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
export function decodeBody(body: string, maxDepth = Infinity): RpcMessage {
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
export function encodeRequest(id: number, method: string, params: JsonValue | object | undefined): string {
  return asciiJson({ jsonrpc, method, params, id })
}

export function encodeResponse(id: string | number, answer: Answer): string {
  if (answer.kind === "result") return asciiJson({ jsonrpc, result: answer.value, id })
  return asciiJson({ jsonrpc, error: { code: answer.code, message: answer.message }, id })
}

export function encodeNotification(method: string, params: JsonValue | object | undefined): string {
  return asciiJson({ jsonrpc, method, params })
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

const errorCodes = { unknownMethod: -32_601, badParams: -32_602, failed: -32_000 } as const

/** The answer of a host to a call that failed. */
export function errorAnswer(code: keyof typeof errorCodes, message: string): Answer {
  return { kind: "error", code: errorCodes[code], message }
}
