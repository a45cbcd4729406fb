// Whether a message of the conversation is the one that this viewer sent: the only way to recognise an own turn in this
// protocol. Agents may append the named files, and Turnhouse replaces secrets by placeholders.
import { holdsPlaceholder } from "../../../contract/text/placeholder.ts"

export function isEcho(sent: string, content: string): boolean {
  const wanted = sent.toWellFormed().trim()
  const got = content.trim()
  if (wanted !== "" && got.startsWith(wanted))
    return got.length === wanted.length || /\s/.test(got[wanted.length] ?? "")
  return wanted === got || isRedacted(wanted, got)
}

function isRedacted(sent: string, content: string): boolean {
  if (!holdsPlaceholder(content)) return false
  const [first = "", ...pieces] = content.split(/‹redacted:[^›]*›/)
  if (!sent.startsWith(first)) return false
  let from = first.length
  for (const piece of pieces) {
    const at = sent.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return true
}
