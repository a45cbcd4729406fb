// The default summary of a plan for the main conversation: the beginning of the newest longer answer, if it has the form
// of a plan.
import type { ContextItem } from "../../contract/views/context.ts"

const remarkBytes = 100
const summaryBytes = 500
/** A heading, a list, or numbered steps. */
const form = /#|- |1\./
const encoder = new TextEncoder()

export function planSummary(items: readonly ContextItem[]): string | undefined {
  const newest = items.map(textOf).findLast((text) => firstBytes(text, remarkBytes) !== text)
  if (newest === undefined || !form.test(newest)) return undefined
  const shortened = firstBytes(newest, summaryBytes)
  return shortened === newest ? newest : `${shortened}...`
}

function textOf(item: ContextItem): string {
  if (item.kind !== "assistant") return ""
  const texts = item.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))
  return texts.join("\n\n").toWellFormed()
}

/** As many whole characters as fit into so many bytes. */
function firstBytes(text: string, bytes: number): string {
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read)
}
