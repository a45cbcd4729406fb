// Text that is collected while a document is parsed.
import { ExtractFault, extractLimits, tooMuchText } from "./extract-limits.ts"

/** Text that grows in pieces. Kept as a list: looking at the end of a growing string costs its length. */
export class TextPieces {
  readonly #pieces: string[] = []
  #length = 0
  #endsBlank = true

  get count(): number {
    return this.#pieces.length
  }

  /** Whether the text ends in white space. */
  get endsBlank(): boolean {
    return this.#endsBlank
  }

  add(text: string): void {
    if (text === "") return
    this.#pieces.push(text)
    this.#length += text.length
    this.#endsBlank = /\s$/.test(text)
    if (this.#length > extractLimits.textLength) throw new ExtractFault(tooMuchText)
  }

  /** Collapses white space as browsers do. */
  addCollapsed(text: string): void {
    const collapsed = text.replaceAll(/\s+/g, " ")
    this.add(this.#endsBlank ? collapsed.trimStart() : collapsed)
  }

  /** Removes and returns the pieces from `start` on. */
  take(start: number): string {
    const taken = this.#pieces.splice(start).join("")
    this.#length -= taken.length
    this.#endsBlank = this.#pieces.length === 0 || /\s$/.test(this.#pieces.at(-1) ?? "")
    return taken
  }

  text(from = 0, to = this.#pieces.length): string {
    return this.#pieces.slice(from, to).join("")
  }
}

/** Without white space at the ends of lines, and with at most one empty line between two others. */
export function tidied(text: string): string {
  return `${text
    .replaceAll(/(?<![ \t])[ \t]+\n/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()}\n`
}
