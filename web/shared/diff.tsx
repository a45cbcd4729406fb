// The change of a file, line by line.
import type { DiffLine, FileDiff } from "../../src/contract/rules/file-diff.ts"
import { safe } from "../../src/display/safe-text.ts"

const classes = { "+": "s-added", "-": "s-removed", " ": undefined, "…": "muted" } as const
/** Lines that are drawn. */
const MAX_LINES = 2000

export function Diff({ diff }: { readonly diff: FileDiff }) {
  const hidden = diff.lines.length - MAX_LINES
  return (
    <pre class="diff" tabIndex={0} aria-label={`Change: ${diff.added} lines added, ${diff.removed} removed`}>
      {diff.lines.slice(0, MAX_LINES).map((line, at) => (
        <div key={at} class={classes[line.sign]}>
          {lineText(line)}
        </div>
      ))}
      {hidden > 0 && <div class="muted">+{hidden} lines</div>}
    </pre>
  )
}

function lineText(line: DiffLine): string {
  if (line.sign === "…") return `      … ${line.omitted} lines`
  return `${String(line.at).padStart(5)} ${line.sign} ${safe(line.text)}`
}
