// Which handlers an event concerns. A tool's name must be one of the two it has, exactly; conditions on the input look at
// its compact JSON with sorted keys, which for a hook without a tool is the word null.
import type { HookEvent } from "../../protocols/extension/frames.ts"
import { sortedJson } from "../../protocols/extension/sorted-json.ts"
import type { Subscription } from "../discovery/manifest.ts"

/** The text of the input is made at most once for all handlers of an event. */
export function matcherFor(event: HookEvent): (subscription: Subscription) => boolean {
  let input: string | undefined
  const inputText = () => (input ??= sortedJson(event.tool_input))
  return ({ tool, match }) => {
    if (tool !== undefined && tool !== event.tool_name && tool !== event.tool_runtime_name) return false
    const { input_contains: part, input_equals: whole } = match ?? {}
    if (whole !== undefined && whole !== null && sortedJson(whole) !== inputText()) return false
    return typeof part !== "string" || inputText().includes(part)
  }
}
