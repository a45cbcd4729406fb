// Whether a message of the conversation is what somebody has said: the only way to know one's own turn on this wire.
// Agents may add the files that were named, and a house puts a placeholder where a secret stood.
import { holdsPlaceholder } from "../../contract/placeholder.ts"

export function isEcho(said: string, content: string): boolean {
  const wanted = said.toWellFormed().trim()
  const got = content.trim()
  if (wanted !== "" && got.startsWith(wanted))
    return got.length === wanted.length || /\s/.test(got[wanted.length] ?? "")
  return wanted === got || isRedacted(wanted, got)
}

function isRedacted(said: string, content: string): boolean {
  if (!holdsPlaceholder(content)) return false
  const [first = "", ...pieces] = content.split(/‹redacted:[^›]*›/)
  if (!said.startsWith(first)) return false
  let from = first.length
  for (const piece of pieces) {
    const at = said.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return true
}
