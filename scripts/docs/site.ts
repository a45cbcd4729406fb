// Builds the documentation as a site of static files, from docs/, README.md, CHANGELOG.md and the program's own tables.
import { createHash } from "node:crypto"
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path"
import { version } from "../../src/program/program-files.ts"
import { commandHtml } from "./commands.ts"
import { configReference, isKeyTable, referenceUrl } from "./config-reference.ts"
import { codeBlock, escapeHtml } from "./html.ts"
import { Links } from "./links.ts"
import { markdownHtml } from "./markdown-html.ts"
import { navigation } from "./navigation.ts"
import { pageHtml, type Page } from "./page.ts"
import { piecesOf, type Piece } from "./pieces.ts"
import { searchScript } from "./search-script.ts"
import { indexedSections } from "./search-index.ts"
import { readSource, type Source } from "./source.ts"

/** Where `turnhouse serve` has it. */
const SERVED_AT = "/docs/"
const commandsSource = "docs/command-line.md"
const settingsSource = "docs/configuration.md"

/** Files that the site is made from, below the root. */
export const siteSources = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/decisions/*.md"]

/** Throws if a link of a page leads nowhere. */
export async function writeSite(root: string, folder: string): Promise<void> {
  const sources = readSources(root)
  const pieces = sources.flatMap(piecesOf)
  const links = new Links(root, pieces)
  links.set("docs/decisions/", "decisions/index.html")
  const groups = navigation(sources, pieces, links)
  const documents = pagesOf(sources, pieces, links)
  const pages = [...documents, ...filePages(root, links)]
  links.check()

  const script = await searchScript()
  const index = JSON.stringify(documents.flatMap(indexedSections))
  const assets = writeAssets(folder, new Map([...readAssets(root), ["search.js", script], ["index.json", index]]))
  const frame = { groups, assets, version: version() }
  for (const page of [...pages, searchPage]) write(folder, page.url, pageHtml(page, frame))
  write(folder, unknownPage.url, pageHtml(unknownPage, frame, SERVED_AT))
  cpSync(join(root, "docs/pictures"), join(folder, "pictures"), { recursive: true })
}

function readSources(root: string): readonly Source[] {
  const paths = globSync(siteSources, { cwd: root }).toSorted()
  return paths.map((path) => readSource(path, readFileSync(join(root, path), "utf8")))
}

function pagesOf(sources: readonly Source[], pieces: readonly Piece[], links: Links): readonly Page[] {
  const settings = pieces.find(({ source }) => source.path === settingsSource)
  const commands = pieces.filter(({ source }) => source.path === commandsSource)
  if (settings === undefined) throw new Error(`${settingsSource} is missing`)
  return [
    ...pieces.filter((piece) => !commands.includes(piece)).map((piece) => documentPage(piece, links)),
    ...commandHtml(commands, links),
    configReference(settings, links),
    decisionList(sources),
  ]
}

function documentPage(piece: Piece, links: Links): Page {
  const { url, title, tokens } = piece
  const place = { ...piece, links }
  const at = tokens.findIndex(isKeyTable)
  if (at < 0) return { url, title, body: markdownHtml(tokens, place) }
  const link = `<p>The types, defaults and meanings are on a page of their own: <a href="${referenceUrl}">all settings</a>.</p>`
  const body = `${markdownHtml(tokens.slice(0, at), place)}${link}${markdownHtml(tokens.slice(at + 1), place)}`
  return { url, title, body }
}

function decisionList(sources: readonly Source[]): Page {
  const decisions = sources.filter(({ path }) => path.startsWith("docs/decisions/")).toReversed()
  const items = decisions.map(({ path, title }) => {
    const name = basename(path, ".md")
    const text = title.replace(/^\d{4}-\d\d-\d\d\W+/, "") // some titles have the date of the file
    return `<li><a href="${name}.html">${escapeHtml(text.charAt(0).toUpperCase() + text.slice(1))}</a> ${name.slice(0, 10)}</li>`
  })
  const body = `<p class="lead">Choices that had alternatives, newest first. A record is not edited later.</p><ul>${items.join("\n")}</ul>`
  return { url: "decisions/index.html", title: "Decisions", body }
}

/** Files of the project that pages link to, so that their links work without the repository. */
function filePages(root: string, links: Links): readonly Page[] {
  return [...links.files].map(([url, path]) => {
    const language = extname(path).slice(1)
    const code = codeBlock(readFileSync(join(root, path), "utf8").trimEnd(), language, path)
    return { url, title: path, heading: `<code>${escapeHtml(path)}</code>`, body: code }
  })
}

const searchPage: Page = {
  url: "search.html",
  title: "Search",
  body: `<noscript><p>Search needs JavaScript. All pages are in the list.</p></noscript>
<div id="site-found" aria-live="polite"></div>`,
}

const unknownPage: Page = {
  url: "404.html",
  title: "No such page",
  body: `<p>This page does not exist. Search for it, or choose one from the list.</p>`,
}

function readAssets(root: string): readonly (readonly [string, string])[] {
  const names = ["site.css", "icon.svg"]
  return names.map((name) => [name, readFileSync(join(root, "scripts/docs/assets", name), "utf8")])
}

/** Returns their names with a hash of the content, which may be cached forever. */
function writeAssets(folder: string, contents: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Array.from(contents, ([name, text]) => {
      const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8)
      const url = `assets/${basename(name, extname(name))}-${hash}${extname(name)}`
      write(folder, url, text)
      return [name, url]
    }),
  )
}

function write(folder: string, url: string, text: string): void {
  mkdirSync(dirname(join(folder, url)), { recursive: true })
  writeFileSync(join(folder, url), text)
}
