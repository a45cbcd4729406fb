// Which old tool results a request leaves out, and the note in their place. Results are left out from the oldest on, in
// batches: between two batches the beginning of requests stays the same, so that providers can cache it. The decision
// depends only on the context and the window, so every host comes to the same. Summaries are made of the whole results.
// Pure.
import { readOnlyToolNames } from "../../contract/rules/core-tools.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { CallId } from "../../contract/ids.ts"
import type { AssistantItem, CallResult, ContextItem } from "../../contract/views/context.ts"

/** Share of the window that newest results always keep, and the share that is left out at a time. */
const KEPT_SHARE = 0.25
const BATCH_SHARE = 0.2
/** A shorter result is hardly larger than the note in its place. */
const MIN_TOKENS = 200
const MAX_EXCERPT = 100
/** Size of a note. */
export const AGED_NOTE_TOKENS = 80

interface SizedResult {
  readonly callId: CallId
  readonly tokens: number
}

/** `sizeOf` a result as the model gets it, in tokens. */
export function agedResults(
  items: readonly ContextItem[],
  window: number,
  sizeOf: (result: CallResult) => number,
): ReadonlyMap<CallId, number> {
  const results = items.flatMap((item) => (item.kind === "assistant" ? longResults(item, sizeOf) : []))
  const total = results.reduce((sum, { tokens }) => sum + tokens, 0)
  const batch = Math.max(1, window * BATCH_SHARE)
  let remaining = Math.floor(Math.max(0, total - window * KEPT_SHARE) / batch) * batch
  const newest = items.findLast((item) => item.kind === "assistant")
  const aged = new Map<CallId, number>()
  for (const { callId, tokens } of results) {
    remaining -= tokens
    if (remaining < 0 || newest?.results[callId] !== undefined) break
    aged.set(callId, tokens)
  }
  return aged
}

function longResults(item: AssistantItem, sizeOf: (result: CallResult) => number): readonly SizedResult[] {
  return item.parts.flatMap((part) => {
    const result = part.kind === "call" ? item.results[part.callId] : undefined
    if (part.kind !== "call" || result === undefined) return []
    const tokens = sizeOf(result)
    return tokens < MIN_TOKENS ? [] : [{ callId: part.callId, tokens }]
  })
}

/** Says what was there and how to get it again. */
export function agedNote(tool: string, { output, failed, untrustedSource, images = [] }: CallResult): string {
  const lines = output.split("\n").length
  const pictures = images.length === 0 ? "" : `, ${images.length} ${images.length === 1 ? "image" : "images"}`
  const size = `${lines} ${lines === 1 ? "line" : "lines"}, ${output.length} characters${pictures}`
  const begins = untrustedSource === undefined ? ` It began: ${JSON.stringify(oneLine(output, MAX_EXCERPT))}.` : ""
  const again = readOnlyToolNames.includes(tool)
    ? `Call ${tool} with the same input to get it again.`
    : "Do not repeat the call only to see it."
  return `[Left out to save room: the ${failed ? "error" : "output"} of this call, ${size}.${begins} ${again}]`
}
