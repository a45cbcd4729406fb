// Markdown that is still being written. Complete blocks are laid out once; only the newest one again with every frame.
import { lexer, type Token } from "marked"
import { markdownLines } from "../../display/markdown.ts"
import type { Page } from "../../display/page.ts"
import type { Line } from "../../display/spans.ts"

/** Characters of an unfinished block that are shown while it is written. */
const MAX_PREVIEW = 20_000
/** Characters that are parsed at once. The parser recurses: a line of some megabytes exceeds its stack. */
const MAX_PARSED = 400_000

export class StreamedMarkdown {
  #page: Page = { width: 0, hasColour: false }
  #done = ""
  #lines: readonly Line[] = []
  /** Type of the newest complete block. */
  #block: string | undefined

  lines(source: string, page: Page): readonly Line[] {
    const text = source.replaceAll("\r\n", "\n")
    const isSame = page.width === this.#page.width && page.hasColour === this.#page.hasColour
    if (!isSame || !text.startsWith(this.#done)) this.#reset(page)
    const rest = text.slice(this.#done.length)
    if (rest.length > MAX_PARSED) return [...this.#lines, ...this.#preview(lexer(rest.slice(-MAX_PREVIEW)))]
    const tokens: readonly Token[] = lexer(rest)
    const newest = tokens.findLastIndex(({ type }) => type !== "space")
    if (newest > 0) this.#complete(tokens.slice(0, newest))
    return [...this.#lines, ...this.#preview(tokens.slice(Math.max(0, newest)))]
  }

  #reset(page: Page): void {
    this.#page = page
    this.#done = ""
    this.#lines = []
    this.#block = undefined
  }

  #complete(tokens: readonly Token[]): void {
    this.#done += tokens.map(({ raw }) => raw).join("")
    const start = this.#block === undefined ? tokens.findIndex(({ type }) => type !== "space") : 0
    const shown = tokens.slice(Math.max(0, start))
    this.#lines = [...this.#lines, ...markdownLines(shown, this.#page, this.#block)]
    this.#block = tokens.at(-1)?.type ?? this.#block
  }

  #preview(tokens: readonly Token[]): readonly Line[] {
    const shown = tokens.filter(({ type }) => type !== "space")
    const raw = shown.map((token) => token.raw).join("")
    const bounded = raw.length > MAX_PREVIEW ? lexer(raw.slice(-MAX_PREVIEW)) : shown
    return markdownLines(bounded, this.#page, this.#block)
  }
}
