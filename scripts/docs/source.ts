// One Markdown file: its tokens, and the anchors of its headings as GitHub makes them.
import { marked, type Token, type Tokens } from "marked"

export interface Source {
  /** Below the root of the project, such as `docs/tools.md`. */
  readonly path: string
  readonly title: string
  readonly tokens: readonly Token[]
  readonly anchors: ReadonlyMap<Token, string>
}

export function readSource(path: string, markdown: string): Source {
  const tokens = marked.lexer(markdown)
  const headings = tokens.filter(isHeading)
  const [title] = headings
  if (title?.depth !== 1) throw new Error(`${path}: begin the page with a heading of the first level.`)
  return { path, title: plainText(title.tokens), tokens, anchors: anchorsOf(headings) }
}

export function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading"
}

/** The text of inline tokens without its marks. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join("")
}

function tokenText(token: Token): string {
  if ("tokens" in token && token.tokens !== undefined) return plainText(token.tokens)
  return "text" in token && typeof token.text === "string" ? token.text : ""
}

/** A heading that repeats gets a number. */
function anchorsOf(headings: readonly Tokens.Heading[]): ReadonlyMap<Token, string> {
  const used = new Map<string, number>()
  return new Map(
    headings.map((heading) => {
      const anchor = anchorOf(plainText(heading.tokens))
      const count = used.get(anchor) ?? 0
      used.set(anchor, count + 1)
      return [heading, count === 0 ? anchor : `${anchor}-${count}`]
    }),
  )
}

export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")
}
