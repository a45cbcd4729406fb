// The text of a message without what it repeats: the quoted message at its end, and the signature. A quotation between
// two answers stays, because they refer to it.
const signature = /^-- ?$/
const original =
  /^\s*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original)\s*-{2,}\s*$/i
const attribution = /(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef)\b.{0,200}:\s*$/i
const MAX_LINE_LENGTH = 500

export function withoutQuotes(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const kept = withoutQuotedEnd(upTo(upTo(lines, original), signature))
  const shown = kept.join("\n").trim()
  return shown === "" ? text.trim() : shown
}

/** Only where something comes before it. */
function upTo(lines: readonly string[], mark: RegExp): readonly string[] {
  const at = lines.findIndex((line) => line.length < MAX_LINE_LENGTH && mark.test(line))
  return at > 0 && lines.slice(0, at).some((line) => line.trim() !== "") ? lines.slice(0, at) : lines
}

function withoutQuotedEnd(lines: readonly string[]): readonly string[] {
  let end = lines.length
  while (end > 0 && isQuotedOrEmpty(lines[end - 1])) end -= 1
  if (!lines.slice(end).some((line) => line.startsWith(">"))) return lines
  return lines.slice(0, attributionStart(lines, end))
}

/** The line before a quotation that names its author may be wrapped into two. */
function attributionStart(lines: readonly string[], end: number): number {
  const last = lines[end - 1] ?? ""
  const both = `${lines[end - 2] ?? ""} ${last}`
  if (last.length > MAX_LINE_LENGTH || !last.trimEnd().endsWith(":")) return end
  if (attribution.test(last) && /^(?:on|am|le|el|il|op)\b/i.test(last.trim())) return end - 1
  return both.length < MAX_LINE_LENGTH && attribution.test(both) ? end - 2 : end
}

function isQuotedOrEmpty(line: string | undefined): boolean {
  return line === undefined || line.startsWith(">") || line.trim() === ""
}
