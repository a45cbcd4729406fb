// Rows of facts, as the terminal's panel shows them.
import { oneLine } from "../../../src/contract/text/text.ts"
import type { RowText } from "../../../src/display/facts/row-text.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { routeHash } from "../state/route.ts"

const MAX_TEXT = 500

export function Rows({
  rows,
  panel,
}: {
  readonly rows: readonly RowText[]
  /** Opened with the session of a row. */ readonly panel: string
}) {
  return (
    <ul class="fact-rows">
      {rows.map(({ left, right = "", notes = [], styles = [], sessionId }, at) => (
        <li key={at}>
          <div>
            <span class={styles.map((style) => `s-${style}`).join(" ")}>
              {sessionId === undefined ? shown(left) : <a href={routeHash({ sessionId, panel })}>{shown(left)}</a>}
            </span>
            <span class="muted">{shown(right)}</span>
          </div>
          {notes.map((note) => (
            <p class="muted" key={note}>
              {shown(note)}
            </p>
          ))}
        </li>
      ))}
    </ul>
  )
}

function shown(text: string): string {
  return safe(oneLine(text, MAX_TEXT))
}
