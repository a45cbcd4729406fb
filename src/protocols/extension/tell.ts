// What a host and an extension say to each other, as bodies. They are ASCII: a widely used shell template reads as many
// characters as the head announces bytes, and hangs on the first letter that takes two.
import type { JsonValue } from "../../contract/values.ts"
import { asciiJson } from "../ascii-json.ts"
import type { HookEvent } from "./frames.ts"
import type { Answer } from "./receive.ts"

const jsonrpc = "2.0"

/** Whole numbers as ids, and the members in this order, as extensions have always seen them. */
export function tellRequest(id: number, method: string, params: JsonValue | HookEvent): string {
  return asciiJson({ jsonrpc, method, params, id })
}

export function tellAnswer(id: string | number, answer: Answer): string {
  if (answer.kind === "result") return asciiJson({ jsonrpc, result: answer.value, id })
  return asciiJson({ jsonrpc, error: { code: answer.code, message: answer.message }, id })
}

/** What an extension says while its host waits for an answer. */
export function tellNotice(method: string, params: JsonValue): string {
  return asciiJson({ jsonrpc, method, params })
}
