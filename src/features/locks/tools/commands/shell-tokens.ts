// Splits a shell command line into words and operators, as far as needed to see which programs it runs. Nothing is
// expanded: a variable stays as written. Commands inside a word (command substitutions) are listed with the word. An
// invalid line yields the tokens up to the fault.

export type Token =
  | { readonly kind: "word"; readonly text: string; readonly inside: readonly string[] }
  /** A here-document or here-string. */
  | { readonly kind: "input"; readonly text: string }
  /** `(`, `)`, or `;` for everything else that ends a command. */
  | { readonly kind: "end"; readonly sign: "(" | ")" | ";" }

export function shellTokens(line: string): readonly Token[] {
  return new Scanner(line).tokens()
}

/** Maximum nesting of quotes; deeper text is not analysed. */
const deepest = 50
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
    const sign = this.#line[this.#at] ?? ""
    if (blanks.includes(sign)) this.#at += 1
    else if (this.#line.startsWith("\\\n", this.#at)) this.#at += 2
    else if (sign === "#") this.#at = this.#lineEnd()
    else if (sign === "\n") this.#newLine()
    else if (sign === "<" || sign === ">" || this.#line.startsWith("&>", this.#at)) this.#redirection()
    else if (sign === "(" || sign === ")") this.#end(sign)
    else if (";&|".includes(sign)) this.#end(";")
    else this.#tokens.push(this.#word())
  }

  #end(sign: "(" | ")" | ";"): void {
    this.#tokens.push({ kind: "end", sign })
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
    const [sign = ""] = /^(?:<<-?(?!<)|<<<|&>>?|[<>]&|>>|>\||<>|[<>](?=\()|[<>])/.exec(this.#line.slice(this.#at)) ?? []
    this.#at += sign.length
    if (this.#line[this.#at] === "(" && (sign === "<" || sign === ">")) return this.#processSubstitution()
    while (blanks.includes(this.#line[this.#at] ?? "\n")) this.#at += 1
    const target = this.#word()
    if (sign === "<<" || sign === "<<-") this.#documents.push({ end: target.text, at: this.#tokens.length })
    if (sign.startsWith("<<")) this.#tokens.push({ kind: "input", text: sign === "<<<" ? target.text : "" })
    if (target.inside.length > 0) this.#tokens.push({ ...target, text: "" })
  }

  #processSubstitution(): void {
    this.#at += 1
    this.#tokens.push({ kind: "word", text: "", inside: [this.#untilClosed("(", ")")] })
  }

  #word(): Extract<Token, { kind: "word" }> {
    const inside: string[] = []
    let text = ""
    while (this.#at < this.#line.length && !endsWord.has(this.#line[this.#at] ?? "")) text += this.#piece(inside)
    return { kind: "word", text, inside }
  }

  #piece(inside: string[]): string {
    const sign = this.#line[this.#at] ?? ""
    this.#at += 1
    switch (sign) {
      case "'":
        return this.#until("'")
      case '"':
        return this.#quoted(inside)
      case "\\":
        return this.#escaped()
      case "`":
        inside.push(this.#until("`"))
        return ""
      case "$":
        return this.#dollar(inside)
      default:
        return sign
    }
  }

  #quoted(inside: string[]): string {
    if (this.#depth > deepest) return this.#until('"')
    this.#depth += 1
    let text = ""
    while (this.#at < this.#line.length && this.#line[this.#at] !== '"') {
      const isPlain = this.#line[this.#at] === "'"
      text += isPlain ? "'" : this.#piece(inside)
      if (isPlain) this.#at += 1
    }
    this.#at += 1
    this.#depth -= 1
    return text
  }

  #escaped(): string {
    const sign = this.#line[this.#at] ?? ""
    this.#at += 1
    return sign === "\n" ? "" : sign
  }

  #dollar(inside: string[]): string {
    if (this.#line.startsWith("((", this.#at)) {
      this.#at += 1
      this.#untilClosed("(", ")")
      return ""
    }
    const sign = this.#line[this.#at]
    if (sign !== "(" && sign !== "{") return "$"
    this.#at += 1
    if (sign === "{") return `\${${this.#untilClosed("{", "}")}}`
    inside.push(this.#untilClosed("(", ")"))
    return ""
  }

  #until(end: string): string {
    const found = this.#line.indexOf(end, this.#at)
    const stop = found === -1 ? this.#line.length : found
    const text = this.#line.slice(this.#at, stop)
    this.#at = stop + 1
    return text
  }

  /** From behind an opening bracket to the one that closes it; brackets in quotes do not count. */
  #untilClosed(open: string, close: string): string {
    const from = this.#at
    for (let depth = 1; this.#at < this.#line.length;) {
      const sign = this.#line[this.#at]
      this.#at += 1
      if (sign === "\\") this.#at += 1
      else if (sign === "'") this.#until("'")
      else if (sign === '"') this.#quoted([])
      else if (sign === open) depth += 1
      else if (sign === close) depth -= 1
      if (depth === 0) return this.#line.slice(from, this.#at - 1)
    }
    return this.#line.slice(from)
  }
}
