// The output of `!command`, above the input until it is sent or dropped.
import { withoutEscapes } from "../../contract/text/text.ts"
import { safe } from "../../display/safe-text.ts"
import { cutToWidth, type Line } from "../../display/spans.ts"
import type { ScreenState } from "../state/screen-state.ts"

const MAX_LINES = 6
const MAX_LINE = 2000

export function shellLines({ shell }: ScreenState, width: number): readonly Line[] {
  if (shell === undefined) return []
  const all = withoutEscapes(shell.output).trimEnd().split("\n")
  const hidden = all.length - MAX_LINES
  const output = all.slice(-MAX_LINES).map((line) => framed(line, width))
  const hint = shell.isRunning ? "running · esc stops it" : "goes with your next prompt · esc drops it"
  return [
    [{ text: cutToWidth(` ! ${safe(shell.command.slice(0, MAX_LINE))}`, width - 1), styles: ["bold"] }],
    ...(hidden > 0 ? [framed(`+${hidden} lines`, width)] : []),
    ...(shell.output === "" ? [] : output),
    framed(hint, width),
  ]
}

function framed(text: string, width: number): Line {
  return [{ text: `   │ ${cutToWidth(safe(text.slice(0, MAX_LINE)), width - 6)}`, styles: ["muted"] }]
}
