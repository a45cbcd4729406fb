// What an extension's tool has answered, as the text that a tool's result is.
import type { JsonValue } from "../../contract/values.ts"
import { isObject } from "./receive.ts"

/** Text, an object with text as its content, or any other JSON as it is. */
export function toolOutput(result: JsonValue): string {
  if (typeof result === "string") return result
  const content = isObject(result) ? result["content"] : undefined
  return typeof content === "string" ? content : JSON.stringify(result)
}
