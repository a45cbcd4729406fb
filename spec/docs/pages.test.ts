// How one Markdown file becomes pages.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { Links } from "../../scripts/docs/links.ts"
import { markdownHtml } from "../../scripts/docs/markdown-html.ts"
import { piecesOf } from "../../scripts/docs/pieces.ts"
import { schemaText } from "../../scripts/docs/schema-text.ts"
import { readSource } from "../../scripts/docs/source.ts"
import { deadLinks } from "./built-site.ts"

function render(markdown: string): string {
  const root = mkdtempSync(join(tmpdir(), "turnhouse-page-"))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const source = readSource("docs/page.md", `# Page\n\n${markdown}`)
  const pieces = piecesOf(source)
  const links = new Links(root, pieces)
  const html = pieces.map((piece) => markdownHtml(piece.tokens, { ...piece, links })).join("")
  links.check()
  return html
}

describe("Markdown", () => {
  it("becomes HTML in which text stays text", () => {
    expect(render("a `<b>` & <https://example.com/?a=1&b=2> c")).toBe(
      '<p>a <code>&lt;b&gt;</code> &amp; <a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer">https://example.com/?a=1&amp;b=2</a> c</p>\n',
    )
  })

  it("may contain a picture for each colour scheme, and no other HTML", () => {
    const picture = '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="https://example.com/d.svg">\n'
    expect(render(`${picture}  <img alt="Text" src="https://example.com/l.svg">\n</picture>\n`)).toBe(
      '<picture><source media="(prefers-color-scheme: dark)" srcset="https://example.com/d.svg"><img alt="Text" src="https://example.com/l.svg"></picture>\n',
    )
    expect(() => render("<script>alert(1)</script>")).toThrow("docs/page.md: raw HTML is not supported")
    expect(() => render("text <b>bold</b>")).toThrow("docs/page.md: raw HTML is not supported")
  })

  it("has anchors as GitHub makes them, also for headings that repeat", () => {
    expect(render("## `a_b` and C\n\n## Same\n\n## Same\n\n[one](#a_b-and-c) [two](#same-1)")).toContain('id="same-1"')
  })

  it("with a dead link is refused, with the file and the link", () => {
    expect(() => render("[one](other.md) [two](#missing) [three](../../outside.md)")).toThrow(
      "links that lead nowhere:\n  docs/page.md: other.md\n  docs/page.md: #missing\n  docs/page.md: ../../outside.md",
    )
  })
})

it("finds dead links in pages", () => {
  const link = (href: string) => ({ name: "a", attributes: { href } })
  const pages = new Map([
    ["a.html", [link("b.html#there"), link("b.html#gone"), link("c.html"), link("https://example.com/")]],
    ["b.html", [{ name: "h2", attributes: { id: "there" } }, link("#gone")]],
  ])
  expect(deadLinks({ pages, files: new Set(pages.keys()) })).toEqual([
    "a.html: b.html#gone",
    "a.html: c.html",
    "b.html: #gone",
  ])
})

it.each([
  [{ type: "string", enum: ["a", "b"] }, "`a`, `b`"],
  [{ type: "array", items: { type: "string" }, maxItems: 5 }, "list of: text (at most 5 entries)"],
  [{ type: "number", exclusiveMinimum: 0 }, "number, above 0"],
  [{ type: "integer", minimum: 0, maximum: 10 }, "whole number, at least 0, at most 10"],
  [{ anyOf: [{ type: "string" }, { type: "object", properties: { command: {} } }] }, "text, or object with `command`"],
  [{ const: "local" }, "`local`"],
  [{ type: "boolean" }, "`true` or `false`"],
  [{}, "any value"],
])("describes the type of a setting: %j", (schema, text) => {
  expect(schemaText(schema)).toBe(text)
})
