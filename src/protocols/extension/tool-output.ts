// The output of tools: of an extension's tool as text, and of any tool as hooks get it.
import { textIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { extensionLimits } from "./limits.ts"

/** A string, the string `content` of an object, or any other JSON as it is. */
export function toolOutput(result: JsonValue): string {
  return typeof result === "string" ? result : (textIn(result, "content") ?? JSON.stringify(result))
}

/** As `after_tool_call` carries it: cut at a limit, with a marker of its length. */
export function truncateOutput(output: string): string {
  const text = output.toWellFormed()
  const bytes = Buffer.byteLength(text)
  const limit = extensionLimits.hookOutputBytes
  return bytes <= limit ? text : `${cutAtBytes(text, limit)}…[truncated, ${bytes} total bytes]`
}

/** The longest beginning that has at most `limit` UTF-8 bytes and ends with a whole character. */
export function cutAtBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  let end = limit
  while (isContinuation(bytes[end])) end--
  return bytes.toString("utf8", 0, end)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
