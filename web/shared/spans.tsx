// Styled text of src/display as elements. A style is a class; colours are in the style sheet.
import type { Line, Span } from "../../src/display/spans.ts"

export function Spans({ line }: { readonly line: Line }) {
  return <>{line.map(spanElement)}</>
}

function spanElement({ text, styles }: Span, at: number) {
  if (styles.length === 0) return text
  return (
    <span key={at} class={styles.map((style) => `s-${style}`).join(" ")}>
      {text}
    </span>
  )
}
