// The navigation: the groups and links of docs/README.md, with the pages of commands and guarantees below theirs.
import type { Token } from "marked"
import { commandPages } from "./commands.ts"
import { referenceUrl } from "./config-reference.ts"
import type { Links } from "./links.ts"
import type { NavGroup, NavItem } from "./page.ts"
import { isHeading, plainText, type Source } from "./source.ts"
import type { Piece } from "./pieces.ts"

const start = "docs/README.md"

/** Throws if a page of docs/ is in no group. */
export function navigation(sources: readonly Source[], pieces: readonly Piece[], links: Links): readonly NavGroup[] {
  const source = sources.find(({ path }) => path === start)
  if (source === undefined) throw new Error(`${start} is missing`)
  const groups: { title: string; items: NavItem[] }[] = []
  for (const token of source.tokens) {
    if (isHeading(token) && token.depth === 2) groups.push({ title: plainText(token.tokens), items: [] })
    else groups.at(-1)?.items.push(...itemsOf(token, pieces, links))
  }
  const found = groups.filter(({ items }) => items.length > 0)
  checkComplete(found, pieces)
  return found
}

/** Of each entry of a list the first link. */
function itemsOf(token: Token, pieces: readonly Piece[], links: Links): readonly NavItem[] {
  if (token.type !== "list") return []
  return linksIn(token).map(({ href, text }) => {
    const url = links.resolve(start, "index.html", href)
    const item = { url, title: text }
    if (url === "commands/index.html") return { ...item, pages: commandPages }
    if (url === "configuration.html") return { ...item, pages: [{ url: referenceUrl, title: "All settings" }] }
    const parts = pieces.filter((piece) => piece.url !== url && isBelow(url, piece))
    return parts.length === 0 ? item : { ...item, pages: parts.map((part) => ({ url: part.url, title: part.title })) }
  })
}

function isBelow(url: string, piece: Piece): boolean {
  return url === "guarantees/index.html" && piece.url.startsWith("guarantees/")
}

interface Linked {
  readonly href: string
  readonly text: string
}

function linksIn(token: Token): readonly Linked[] {
  if (token.type === "link") return [{ href: String(token["href"]), text: plainText(token.tokens ?? []) }]
  if (token.type === "list" && Array.isArray(token["items"]))
    return token["items"].flatMap((item: Token) => linksIn(item).slice(0, 1))
  return "tokens" in token && token.tokens !== undefined ? token.tokens.flatMap(linksIn) : []
}

function checkComplete(groups: readonly NavGroup[], pieces: readonly Piece[]): void {
  const listed = new Set(groups.flatMap(({ items }) => items.map(({ url }) => url)))
  const missing = pieces.filter(
    ({ source: { path }, url, shift }) =>
      shift === 0 && path !== start && !path.startsWith("docs/decisions/") && !listed.has(url),
  )
  if (missing.length > 0)
    throw new Error(`${start}: add a line for ${missing.map(({ source }) => source.path).join(", ")}.`)
}
