// Splits a shell command line into words and operators, as far as needed to see which programs it runs. Nothing is
// expanded: a variable stays as written. Commands inside a word (command substitutions) are listed with the word. An
// invalid line yields the tokens up to the fault.

export type Token =
  | { readonly kind: "word"; readonly text: string; readonly substitutions: readonly string[] }
  /** A here-document or here-string. */
  | { readonly kind: "input"; readonly text: string }
  /** `(`, `)`, or `;` for everything else that ends a command. */
  | { readonly kind: "end"; readonly operator: "(" | ")" | ";" }

export function shellTokens(line: string): readonly Token[] {
  return new Scanner(line).tokens()
}

/** Maximum nesting of quotes; deeper text is not analysed. */
const MAX_DEPTH = 50
const blanks = " \t\r"
const endsWord = new Set(" \t\r\n;&|()<>")

class Scanner {
  readonly #line: string
  readonly #tokens: Token[] = []
  /** Here-documents that begin with the next line: how they end, and where among the tokens they belong. */
  readonly #documents: { readonly end: string; readonly at: number }[] = []
  #at = 0
  /** Nesting of quotes and brackets. */
  #depth = 0

  constructor(line: string) {
    this.#line = line
  }

  tokens(): readonly Token[] {
    while (this.#at < this.#line.length) this.#next()
    return this.#tokens
  }

  #next(): void {
    const character = this.#line[this.#at] ?? ""
    if (blanks.includes(character)) this.#at += 1
    else if (this.#line.startsWith("\\\n", this.#at)) this.#at += 2
    else if (character === "#") this.#at = this.#lineEnd()
    else if (character === "\n") this.#newLine()
    else if (character === "<" || character === ">" || this.#line.startsWith("&>", this.#at)) this.#redirection()
    else if (character === "(" || character === ")") this.#end(character)
    else if (";&|".includes(character)) this.#end(";")
    else this.#tokens.push(this.#word())
  }

  #end(operator: "(" | ")" | ";"): void {
    this.#tokens.push({ kind: "end", operator })
    this.#at += 1
  }

  #newLine(): void {
    this.#end(";")
    for (const { end, at } of this.#documents.splice(0)) this.#tokens[at] = { kind: "input", text: this.#document(end) }
  }

  #document(end: string): string {
    const from = this.#at
    while (this.#at < this.#line.length) {
      const start = this.#at
      this.#at = this.#lineEnd() + 1
      if (this.#line.slice(start, this.#at).trim() === end) return this.#line.slice(from, start)
    }
    return this.#line.slice(from)
  }

  #lineEnd(): number {
    const end = this.#line.indexOf("\n", this.#at)
    return end === -1 ? this.#line.length : end
  }

  /** The target of a redirection is ignored, except commands that are run to compute it. */
  #redirection(): void {
    const previous = this.#tokens.at(-1)
    const isGlued = this.#at > 0 && !endsWord.has(this.#line[this.#at - 1] ?? "")
    if (isGlued && previous?.kind === "word" && /^\d+$/.test(previous.text)) this.#tokens.pop() // 2>file
    const [operator = ""] =
      /^(?:<<-?(?!<)|<<<|&>>?|[<>]&|>>|>\||<>|[<>](?=\()|[<>])/.exec(this.#line.slice(this.#at)) ?? []
    this.#at += operator.length
    if (this.#line[this.#at] === "(" && (operator === "<" || operator === ">")) return this.#processSubstitution()
    while (blanks.includes(this.#line[this.#at] ?? "\n")) this.#at += 1
    const target = this.#word()
    if (operator === "<<" || operator === "<<-") this.#documents.push({ end: target.text, at: this.#tokens.length })
    if (operator.startsWith("<<")) this.#tokens.push({ kind: "input", text: operator === "<<<" ? target.text : "" })
    if (target.substitutions.length > 0) this.#tokens.push({ ...target, text: "" })
  }

  #processSubstitution(): void {
    this.#at += 1
    this.#tokens.push({ kind: "word", text: "", substitutions: [this.#readUntilClosed("(", ")")] })
  }

  #word(): Extract<Token, { kind: "word" }> {
    const substitutions: string[] = []
    let text = ""
    while (this.#at < this.#line.length && !endsWord.has(this.#line[this.#at] ?? "")) text += this.#piece(substitutions)
    return { kind: "word", text, substitutions }
  }

  #piece(substitutions: string[]): string {
    const character = this.#line[this.#at] ?? ""
    this.#at += 1
    switch (character) {
      case "'":
        return this.#readUntil("'")
      case '"':
        return this.#quoted(substitutions)
      case "\\":
        return this.#escaped()
      case "`":
        substitutions.push(this.#readUntil("`"))
        return ""
      case "$":
        return this.#dollar(substitutions)
      default:
        return character
    }
  }

  #quoted(substitutions: string[]): string {
    if (this.#depth > MAX_DEPTH) return this.#readUntil('"')
    this.#depth += 1
    let text = ""
    while (this.#at < this.#line.length && this.#line[this.#at] !== '"') {
      const isPlain = this.#line[this.#at] === "'"
      text += isPlain ? "'" : this.#piece(substitutions)
      if (isPlain) this.#at += 1
    }
    this.#at += 1
    this.#depth -= 1
    return text
  }

  #escaped(): string {
    const character = this.#line[this.#at] ?? ""
    this.#at += 1
    return character === "\n" ? "" : character
  }

  #dollar(substitutions: string[]): string {
    if (this.#line.startsWith("((", this.#at)) {
      this.#at += 1
      this.#readUntilClosed("(", ")")
      return ""
    }
    const character = this.#line[this.#at]
    if (character !== "(" && character !== "{") return "$"
    this.#at += 1
    if (character === "{") return `\${${this.#readUntilClosed("{", "}")}}`
    substitutions.push(this.#readUntilClosed("(", ")"))
    return ""
  }

  #readUntil(end: string): string {
    const found = this.#line.indexOf(end, this.#at)
    const stop = found === -1 ? this.#line.length : found
    const text = this.#line.slice(this.#at, stop)
    this.#at = stop + 1
    return text
  }

  /** From behind an opening bracket to the one that closes it; brackets in quotes do not count. */
  #readUntilClosed(open: string, close: string): string {
    const from = this.#at
    for (let depth = 1; this.#at < this.#line.length;) {
      const character = this.#line[this.#at]
      this.#at += 1
      if (character === "\\") this.#at += 1
      else if (character === "'") this.#readUntil("'")
      else if (character === '"') this.#quoted([])
      else if (character === open) depth += 1
      else if (character === close) depth -= 1
      if (depth === 0) return this.#line.slice(from, this.#at - 1)
    }
    return this.#line.slice(from)
  }
}
