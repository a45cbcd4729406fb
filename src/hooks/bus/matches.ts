// Which handlers an event concerns. A tool filter matches one of the tool's two names exactly; conditions on the input
// match its compact JSON with sorted keys (`null` for a hook without a tool).
import type { HookEvent } from "../../protocols/extension/frames.ts"
import { sortedJson } from "../../protocols/extension/sorted-json.ts"
import type { Subscription } from "../discovery/manifest.ts"

/** Serialises the input at most once for all handlers of an event. */
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
