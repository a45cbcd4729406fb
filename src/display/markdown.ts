// Markdown as lines of a terminal. Text that the renderer does not know is shown as it was written.
import type { Token, Tokens } from "marked"
import { highlighted } from "./highlight.ts"
import type { Page } from "./page.ts"
import { safe } from "./safe-text.ts"
import { plain, wrapExactly, wrapSpans, type Line, type Span, type Style } from "./spans.ts"
import { tableLines } from "./markdown-table.ts"

/** Blocks are separated by an empty line. `before` is the type of the block that was printed before. */
export function markdownLines(tokens: readonly Token[], page: Page, before?: string): readonly Line[] {
  return tokens.flatMap((token, at) => {
    const lines = blockLines(token, page)
    const previous = at === 0 ? before : tokens[at - 1]?.type
    const isApart = previous !== undefined && previous !== "space" && token.type !== "space" && lines.length > 0
    const isTight = token.type === "text" || previous === "text"
    return isApart && !isTight ? [[], ...lines] : lines
  })
}

function blockLines(token: Token, page: Page): readonly Line[] {
  switch (token.type) {
    case "space":
      return [[]]
    case "heading":
      return textLines([plain(`${"#".repeat(token.depth)} `), ...inline(token.tokens ?? [], page)], page, ["bold"])
    case "paragraph":
    case "text":
      return textLines(token.tokens === undefined ? [plain(safe(token.text))] : inline(token.tokens, page), page)
    case "code":
      return codeLines(token.text, token.lang, page)
    case "blockquote":
      return prefixed(markdownLines(token.tokens ?? [], narrower(page, 2)), "│ ")
    case "list":
      return listLines(token.items, token.ordered ? Number(token.start) : undefined, page)
    case "table":
      return tableLines(token.header, token.rows, page, inline)
    case "hr":
      return [[plain("─".repeat(Math.min(40, page.width)))]]
    case "def":
      return []
    default:
      return textLines([plain(safe(token.raw.trimEnd()))], page)
  }
}

function textLines(spans: readonly Span[], page: Page, added: readonly Style[] = []): readonly Line[] {
  return wrapSpans(added.length === 0 ? spans : spans.map((span) => withStyle(span, ...added)), page.width)
}

/** Lines that are too long are broken, so that nothing of a program is lost. */
function codeLines(code: string, language: string | undefined, page: Page): readonly Line[] {
  const width = Math.max(1, page.width - CODE_INDENT.length)
  return highlighted(safe(code), language).flatMap((line) =>
    wrapExactly(line, width).map((part) => [plain(CODE_INDENT), ...part]),
  )
}

const CODE_INDENT = "  "

function listLines(items: readonly Tokens.ListItem[], start: number | undefined, page: Page): readonly Line[] {
  const widest = start === undefined ? 1 : String(start + items.length - 1).length + 1
  return items.flatMap((item, at) => {
    const mark = start === undefined ? "•" : `${start + at}.`.padStart(widest)
    const box = item.task ? (item.checked === true ? "[x] " : "[ ] ") : ""
    const indent = widest + 1
    const content = item.tokens.filter(({ type }) => type !== "checkbox" && type !== "space")
    const lines = markdownLines(content, narrower(page, indent + box.length)).filter(
      (line, index, all) => !(line.length === 0 && (index === 0 || all[index - 1]?.length === 0)),
    )
    const [first = [], ...others] = lines
    const gap: readonly Line[] = at > 0 && item.loose ? [[]] : []
    return [
      ...gap,
      [plain(`${mark} ${box}`), ...first],
      ...others.map((line) => (line.length === 0 ? [] : [plain(" ".repeat(indent)), ...line])),
    ]
  })
}

function prefixed(lines: readonly Line[], prefix: string): readonly Line[] {
  return lines.map((line) => [{ text: prefix, styles: ["muted"] }, ...line])
}

function narrower(page: Page, by: number): Page {
  return { ...page, width: Math.max(10, page.width - by) }
}

function inline(tokens: readonly Token[], page: Page): readonly Span[] {
  return tokens.flatMap((token) => inlineSpans(token, page))
}

function inlineSpans(token: Token, page: Page): readonly Span[] {
  switch (token.type) {
    case "strong":
      return marked(token.tokens ?? [], "bold", "**", page)
    case "em":
      return marked(token.tokens ?? [], "italic", "*", page)
    case "del":
      return marked(token.tokens ?? [], "strikethrough", "~~", page)
    case "codespan":
      return page.hasColour ? [{ text: safe(token.text), styles: ["code"] }] : [plain(safe(token.raw))]
    case "link":
      return linkSpans(token.href, token.text, inline(token.tokens ?? [], page))
    case "image":
      return [plain(safe(`[image: ${token.text}] (${token.href})`))]
    case "br":
      return [plain("\n")]
    case "escape":
      return [plain(safe(token.text))]
    case "text":
      return token.tokens === undefined ? [plain(entities(safe(token.text)))] : inline(token.tokens, page)
    default:
      return [plain(safe(token.raw))]
  }
}

function marked(tokens: readonly Token[], style: Style, mark: string, page: Page): readonly Span[] {
  const spans = inline(tokens, page)
  if (!page.hasColour) return [plain(mark), ...spans, plain(mark)]
  return spans.map((span) => withStyle(span, style))
}

/** The address is always shown: a link may lead elsewhere than its text says. */
function linkSpans(href: string, text: string, label: readonly Span[]): readonly Span[] {
  const address: Span = { text: safe(href), styles: ["underline"] }
  const isSame = text === href || `mailto:${text}` === href || text === ""
  return isSame ? [address] : [...label, plain(" ("), address, plain(")")]
}

function withStyle({ text, styles }: Span, ...added: readonly Style[]): Span {
  return { text, styles: [...added, ...styles] }
}

const namedEntities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" }

function entities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (whole, name: string) => namedEntities[name] ?? whole)
}
