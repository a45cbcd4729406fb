// Where formatted text is printed.
import type { Page } from "../../display/page.ts"

/** Lines are not longer, however wide the terminal is: longer ones are hard to read. */
const MAX_TEXT_WIDTH = 100

export function pageOf(stream: NodeJS.WriteStream): Page {
  const depth = stream.isTTY ? stream.getColorDepth() : 1
  return { width: Math.min(MAX_TEXT_WIDTH, Math.max(20, (stream.columns || 80) - 1)), hasColour: depth > 2 }
}
