// Text that fills the place of the transcript and can be scrolled: help, details of a call, output of a slash command.
import { safe } from "../../display/safe-text.ts"
import { plain, wrapExactly, type Line } from "../../display/spans.ts"
import { keyName, type InputEvent } from "../terminal/parse-input.ts"
import type { Overlay, OverlaySpace } from "./overlay.ts"

const PAGE = 10
/** Further than any text goes. */
const END = Number.MAX_SAFE_INTEGER

export function textPager(title: string, text: string): Overlay {
  return pager(
    title,
    safe(text)
      .split("\n")
      .map((line) => [plain(line)]),
  )
}

export function pager(title: string, content: readonly Line[], from = 0): Overlay {
  return {
    title,
    hint: "esc back   ↑ ↓ page up page down scroll",
    lines: (space) => pagerLines(title, content, from, space),
    input: (event) => moved(title, content, from, event),
  }
}

function pagerLines(title: string, content: readonly Line[], from: number, space: OverlaySpace): readonly Line[] {
  const width = Math.max(1, space.width - 2)
  const lines = content.flatMap((line) => wrapExactly(line, width))
  const height = Math.max(1, space.height - 2)
  const first = Math.max(0, Math.min(from, lines.length - height))
  const shown = lines.slice(first, first + height)
  const below = lines.length - first - shown.length
  const place = below > 0 || first > 0 ? `   ${first + 1}–${first + shown.length} of ${lines.length}` : ""
  const head: Line = [
    { text: ` ${safe(title)}`, styles: ["bold"] },
    { text: place, styles: ["muted"] },
  ]
  return [head, [], ...shown.map((line): Line => [plain(" "), ...line])]
}

function moved(title: string, content: readonly Line[], from: number, event: InputEvent): Overlay | undefined {
  const by = stepOf(event)
  if (by === undefined) return undefined
  // A wrapped line counts as one: the view keeps the rest in the window.
  return pager(title, content, Math.max(0, Math.min(from + by, 20 * content.length)))
}

/** Undefined closes. */
function stepOf(event: InputEvent): number | undefined {
  if (event.kind === "wheel") return event.lines
  if (event.kind === "text") return event.text === "q" ? undefined : event.text === " " ? PAGE : 0
  if (event.kind !== "key") return 0
  switch (keyName(event.key)) {
    case "up":
      return -1
    case "down":
      return 1
    case "pageup":
      return -PAGE
    case "pagedown":
      return PAGE
    case "home":
      return -END
    case "end":
      return END
    case "escape":
    case "return":
    case "ctrl-c":
    case "f1":
      return undefined
    default:
      return 0
  }
}
