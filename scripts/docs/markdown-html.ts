// Markdown as HTML. Raw HTML is refused, except for the pictures that follow the reader's colour scheme.
import { Marked, type RendererObject, type Token, type Tokens } from "marked"
import { codeBlock, escapeHtml } from "./html.ts"
import type { Links } from "./links.ts"
import { plainText } from "./source.ts"
import type { Piece } from "./pieces.ts"

export interface Place extends Pick<Piece, "source" | "url" | "title" | "shift"> {
  readonly links: Links
}

export function markdownHtml(tokens: readonly Token[], place: Place): string {
  return new Marked({ renderer: renderer(place) }).parser([...tokens])
}

export function inlineHtml(tokens: readonly Token[], place: Place): string {
  const marked = new Marked({ renderer: renderer(place) })
  return marked.Parser.parseInline([...tokens], marked.defaults)
}

function renderer({ source, url, title, shift, links }: Place): RendererObject {
  const resolve = (href: string) => escapeHtml(links.resolve(source.path, url, href))
  let near = title
  return {
    heading(token) {
      near = plainText(token.tokens)
      const [level, anchor] = [token.depth - shift, escapeHtml(source.anchors.get(token) ?? "")]
      const content = this.parser.parseInline(token.tokens)
      return `<h${level} id="${anchor}"><a class="anchor" href="#${anchor}">${content}</a></h${level}>\n`
    },
    code: ({ text, lang = "" }) => codeBlock(text, lang, `Code: ${near}`),
    link({ href, tokens }) {
      const rel = href.startsWith("http") ? ' rel="noopener noreferrer"' : ""
      return `<a href="${resolve(href)}"${rel}>${this.parser.parseInline(tokens)}</a>`
    },
    image: ({ href, text }) => `<img src="${resolve(href)}" alt="${escapeHtml(text)}">`,
    html: ({ text }) => pictureHtml(text, resolve, source.path),
    table({ header, rows }) {
      const cell = (tag: string, { tokens, align }: Tokens.TableCell) =>
        `<${tag}${align === null ? "" : ` class="${align}"`}>${this.parser.parseInline(tokens)}</${tag}>`
      const row = (tag: string, cells: readonly Tokens.TableCell[]) =>
        `<tr>${cells.map((one) => cell(tag, one)).join("")}</tr>`
      const head = header.some(({ text }) => text !== "") ? `<thead>${row("th", header)}</thead>` : ""
      const body = rows.map((cells) => row("td", cells)).join("\n")
      const group = `tabindex="0" role="group" aria-label="${escapeHtml(`Table: ${near}`)}"`
      return `<div class="table" ${group}><table>${head}<tbody>\n${body}\n</tbody></table></div>\n`
    },
  }
}

const picture =
  /^<picture>\s*<source media="\((prefers-color-scheme: dark|prefers-reduced-motion: reduce)\)" srcset="([^"<>]+)">\s*<img alt="([^"<>]+)" src="([^"<>]+)">\s*<\/picture>\s*$/

function pictureHtml(text: string, resolve: (href: string) => string, path: string): string {
  const [, media = "", other = "", alt = "", usual = ""] = picture.exec(text) ?? []
  if (alt === "") throw new Error(`${path}: raw HTML is not supported, except for <picture>: ${text.slice(0, 60)}`)
  const source = `<source media="(${media})" srcset="${resolve(other)}">`
  return `<picture>${source}<img alt="${alt}" src="${resolve(usual)}"></picture>\n`
}
