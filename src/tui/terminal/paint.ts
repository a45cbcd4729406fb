// A line as the text that is written to the terminal. The last defence: whatever a view gives, no control character
// leaves here, and no line is wider than the screen.
import { safe } from "../../display/safe-text.ts"
import { columnsOf, cutLine, type ImagePart, type Line, type Span } from "../../display/spans.ts"
import type { Theme } from "./theme.ts"

/** The characters of one row of an image, for so many columns; undefined where it is drawn in another way. */
export type PaintImage = (part: ImagePart, columns: number) => string | undefined

export function paintLine(line: Line, width: number, { styles }: Theme, paintImage?: PaintImage): string {
  return cutLine(line.map(cleaned), width)
    .map(({ text, styles: named, image }) => {
      const drawn = image === undefined || text === "" ? undefined : paintImage?.(image, columnsOf(text))
      if (drawn !== undefined) return drawn
      const parameters = named.map((style) => styles[style]).filter((part) => part !== "")
      return parameters.length === 0 || text === "" ? text : `\u001b[${parameters.join(";")}m${text}\u001b[0m`
    })
    .join("")
}

function cleaned(span: Span): Span {
  const text = safe(span.text).replaceAll("\n", "\u{fffd}")
  return text === span.text ? span : { ...span, text }
}
