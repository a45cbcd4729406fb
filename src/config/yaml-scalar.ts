// One value of a YAML head, always as text.

export class YamlFault extends Error {
  /** It says in which line. */
  readonly isPlaced: boolean

  constructor(message: string, isPlaced = false) {
    super(message)
    this.isPlaced = isPlaced
  }
}

/** In double quotes as JSON writes it, in single quotes, or plain with a comment behind it. */
export function readScalar(text: string): string {
  if (text.startsWith('"')) return doubleQuoted(text)
  if (text.startsWith("'")) return singleQuoted(text)
  if (/^[|>&*!%@`[\]{}]/.test(text)) throw new YamlFault("begins in a way that is not understood; put it in quotes")
  return text.replace(/\s#.*$/, "").trim()
}

function doubleQuoted(text: string): string {
  const [quoted, rest = ""] = /^("(?:[^"\\]|\\.)*")(.*)$/.exec(text)?.slice(1) ?? []
  if (quoted === undefined || !isComment(rest)) throw new YamlFault('has an unfit "…"')
  try {
    return String(JSON.parse(quoted))
  } catch {
    throw new YamlFault('has an unfit escape in "…"')
  }
}

function singleQuoted(text: string): string {
  const [quoted, rest = ""] = /^'((?:[^']|'')*)'(?!')(.*)$/s.exec(text)?.slice(1) ?? []
  if (quoted === undefined || !isComment(rest)) throw new YamlFault("has an unfit '…'")
  return quoted.replaceAll("''", "'")
}

function isComment(rest: string): boolean {
  return /^(\s*|\s+#.*)$/.test(rest)
}
