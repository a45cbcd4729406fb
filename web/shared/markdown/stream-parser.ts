// Parses Markdown that is still being written. Complete blocks are parsed once and keep their tokens.
import { lexer, type Token } from "marked"

/** Characters of an unfinished block that are shown while it is written. */
const MAX_PREVIEW = 20_000

export class StreamParser {
  #done = ""
  #tokens: readonly Token[] = []

  parse(source: string): readonly Token[] {
    const text = source.replaceAll("\r\n", "\n")
    if (!text.startsWith(this.#done)) {
      this.#done = ""
      this.#tokens = []
    }
    const rest = text.slice(this.#done.length)
    const tokens: readonly Token[] = lexer(rest.slice(-MAX_PREVIEW))
    const newest = tokens.findLastIndex(({ type }) => type !== "space")
    if (newest <= 0 || rest.length > MAX_PREVIEW) return [...this.#tokens, ...tokens]
    this.#done += tokens
      .slice(0, newest)
      .map(({ raw }) => raw)
      .join("")
    this.#tokens = [...this.#tokens, ...tokens.slice(0, newest)]
    return [...this.#tokens, ...tokens.slice(newest)]
  }
}
