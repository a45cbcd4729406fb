import type { ContextItem } from "../../contract/views/context.ts"
// What of a plan comes into the main conversation when plan mode is left and nobody says it in their own words: the
// beginning of the newest answer that is more than a remark, if it has the form of a plan.

const remarkBytes = 100
const summaryBytes = 500
/** A heading, a list, or numbered steps. */
const form = /#|- |1\./
const encoder = new TextEncoder()

export function planSummary(items: readonly ContextItem[]): string | undefined {
  const newest = items.map(textOf).findLast((text) => beginning(text, remarkBytes) !== text)
  if (newest === undefined || !form.test(newest)) return undefined
  const cut = beginning(newest, summaryBytes)
  return cut === newest ? newest : `${cut}...`
}

function textOf(item: ContextItem): string {
  if (item.kind !== "assistant") return ""
  const texts = item.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))
  return texts.join("\n\n").toWellFormed()
}

/** As many whole characters as have room in so many bytes. */
function beginning(text: string, bytes: number): string {
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}
