// The page with every setting: types from the JSON Schema, who may set it from the rules for projects' files, and its
// meaning from the table in docs/configuration.md.
import { marked, type Token, type Tokens } from "marked"
import { projectProblems } from "../../src/config/project-rules.ts"
import { configSchemas } from "../../src/testing/config-keys.ts"
import { escapeHtml } from "./html.ts"
import type { Links } from "./links.ts"
import { inlineHtml, type Place } from "./markdown-html.ts"
import type { Page } from "./page.ts"
import { schemaText } from "./schema-text.ts"
import { plainText } from "./source.ts"
import type { Piece } from "./pieces.ts"

export const referenceUrl = "configuration-reference.html"

/** The table, which the site shows as a page of its own. */
export function isKeyTable(token: Token): token is Tokens.Table {
  return token.type === "table" && isCells(token.header) && token.header[0]?.text === "key"
}

function isCells(value: unknown): value is readonly Tokens.TableCell[] {
  return Array.isArray(value)
}

export function configReference({ source }: Piece, links: Links): Page {
  const place = { source, url: referenceUrl, title: "All settings", shift: 0, links }
  const meanings = meaningsOf(source.tokens)
  const settings = [...configSchemas()].filter(([key]) => key !== "$schema")
  const groups = Map.groupBy(settings, ([key]) => groupOf(key, settings))
  const parts = [...groups].map(([name, keys]) => {
    const entries = keys.map(([key, schema]) => entry(key, schema, meanings.get(key) ?? [], place))
    return `<h2 id="group-${name}"><a class="anchor" href="#group-${name}">${name}</a></h2>\n${entries.join("\n")}`
  })
  const back = escapeHtml(links.resolve(source.path, referenceUrl, "#files"))
  const body = `<p class="lead">Every key of the configuration. <code>&lt;name&gt;</code> stands for a name of your choice.
<a href="${back}">Which files are read, and in which order</a>.</p>\n${parts.join("\n")}`
  return { url: referenceUrl, title: place.title, body }
}

/** Keys without others below or beside them are together. */
function groupOf(key: string, all: readonly (readonly [string, unknown])[]): string {
  const [name = ""] = key.split(".")
  return all.filter(([other]) => other === name || other.startsWith(`${name}.`)).length === 1 ? "general" : name
}

function meaningsOf(tokens: readonly Token[]): ReadonlyMap<string, readonly Token[]> {
  const rows = tokens.filter(isKeyTable).flatMap((table) => table.rows)
  return new Map(rows.map(([key, , meaning]) => [plainText(key?.tokens ?? []), meaning?.tokens ?? []]))
}

function entry(key: string, schema: unknown, meaning: readonly Token[], place: Place): string {
  const anchor = key.replaceAll(/[<>]/g, "").replaceAll(".", "-")
  const { text, standard } = withoutDefault(inlineHtml(meaning, place))
  const type = inlineHtml(marked.Lexer.lexInline(schemaText(schema)), place)
  return `<section class="setting"><h3 id="${anchor}"><a class="anchor" href="#${anchor}"><code>${escapeHtml(key)}</code></a></h3>
<p>${text}.</p><dl>${fact("Type", type)}${fact("Default", standard)}${fact("Set in", filesOf(key, place))}</dl></section>`
}

function fact(name: string, html: string): string {
  return html === "" ? "" : `<dt>${name}</dt><dd>${html}</dd>`
}

/** `…; default X`, with or without a colon, at the end of the meaning. */
function withoutDefault(html: string): { readonly text: string; readonly standard: string } {
  const [, text = html, standard = ""] = /^(.*?)[;.,]?\s*\bdefault:? ([^;]*)$/i.exec(html) ?? []
  return { text: capital(text.replace(/[.;]$/, "")), standard: standard.replace(/\.$/, "") }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function filesOf(key: string, { source, links }: Place): string {
  const own = "your configuration, a profile, <code>--config</code>"
  if (projectProblems(nested(key.split("."))).length > 0) return own
  const rules = escapeHtml(links.resolve(source.path, referenceUrl, "#project-files"))
  return `${own}, and the <a href="${rules}">file of a trusted project</a>`
}

function nested([key, ...rest]: readonly string[]): unknown {
  return key === undefined ? "" : { [key]: nested(rest) }
}
