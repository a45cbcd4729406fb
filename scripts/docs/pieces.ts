// Which page each part of a Markdown file is on. Most files are one page; long ones that are looked up are a page for each
// section.
import type { Token } from "marked"
import { anchorOf, isHeading, plainText, type Source } from "./source.ts"

export interface Piece {
  readonly source: Source
  readonly url: string
  readonly title: string
  /** Without the heading that is the title. */
  readonly tokens: readonly Token[]
  /** Levels by which its headings move up. */
  readonly shift: number
}

/** Files that are split, with the level of the headings that begin a page, and the folder of these pages. */
const split: Readonly<Record<string, { readonly depth: number; readonly folder: string }>> = {
  "docs/command-line.md": { depth: 3, folder: "commands" },
  "docs/guarantees.md": { depth: 2, folder: "guarantees" },
}

const named: Readonly<Record<string, string>> = {
  "docs/README.md": "index.html",
  "README.md": "about.html",
  "CHANGELOG.md": "changelog.html",
  "CONTRIBUTING.md": "contributing.html",
}

export function piecesOf(source: Source): readonly Piece[] {
  const rule = split[source.path]
  const first = rule === undefined ? pageUrl(source.path) : `${rule.folder}/index.html`
  const starts = source.tokens.flatMap((token, at) => (rule !== undefined && isStart(token, rule.depth) ? [at] : []))
  const [head = source.tokens.length] = starts
  const parts = starts.map((start, index) => source.tokens.slice(start, starts[index + 1] ?? source.tokens.length))
  return [
    { source, url: first, title: source.title, tokens: source.tokens.slice(1, head), shift: 0 },
    ...parts.flatMap((tokens) => sectionPiece(source, tokens, rule?.folder ?? "", rule?.depth ?? 0)),
  ]
}

/** A heading above the level ends the page before it, and begins none: it groups pages. */
function isStart(token: Token, depth: number): boolean {
  return isHeading(token) && token.depth > 1 && token.depth <= depth
}

function sectionPiece(source: Source, tokens: readonly Token[], folder: string, depth: number): readonly Piece[] {
  const [heading, ...body] = tokens
  if (heading === undefined || !isHeading(heading) || heading.depth < depth) return []
  const title = plainText(heading.tokens)
  const [name = title] = title.split(/, | and /) // `login, logout`
  return [{ source, url: `${folder}/${anchorOf(name)}.html`, title, tokens: body, shift: depth - 1 }]
}

function pageUrl(path: string): string {
  return named[path] ?? path.replace(/^docs\//, "").replace(/\.md$/, ".html")
}
