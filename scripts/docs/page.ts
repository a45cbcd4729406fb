// A whole page: header with search, navigation, content, and what is on the page. Works without scripts, except for search.
import { escapeHtml } from "./html.ts"
import { relativeUrl } from "./links.ts"

export interface Page {
  readonly url: string
  readonly title: string
  /** HTML below the title. */
  readonly body: string
  /** HTML of the title, if it is not plain text. */
  readonly heading?: string
}

export interface NavItem {
  readonly url: string
  readonly title: string
  /** Shown while one of them is open. */
  readonly pages?: readonly NavItem[]
}

export interface NavGroup {
  readonly title: string
  readonly items: readonly NavItem[]
}

export interface Frame {
  readonly groups: readonly NavGroup[]
  /** Files of assets/ by their name without the hash. */
  readonly assets: ReadonlyMap<string, string>
  readonly version: string
}

/** `base` replaces relative links where a page is served at any path. */
export function pageHtml(page: Page, frame: Frame, base = ""): string {
  const to = (url: string) => escapeHtml(base === "" ? relativeUrl(page.url, url) : `${base}${url}`)
  const asset = (name: string) => to(frame.assets.get(name) ?? name)
  const title = page.url === "index.html" ? "Turnhouse documentation" : `${page.title} · Turnhouse documentation`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${asset("icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${asset("site.css")}">
<script type="module" src="${asset("search.js")}"></script>
</head>
<body>
<a class="skip" href="#site-content">Skip to the content</a>
<header class="top">
<a class="home" href="${to("index.html")}">Turnhouse <span>documentation</span></a>
<form class="search" role="search" action="${to("search.html")}" data-index="${asset("index.json")}" data-root="${to("index.html")}">
<label for="site-search">Search</label>
<input id="site-search" name="q" type="search" autocomplete="off" spellcheck="false" placeholder="Search ( / )">
<div class="results" id="site-results" hidden></div>
</form>
</header>
<div class="columns">
<nav class="pages" aria-label="Documentation">
<details class="menu"><summary>All pages</summary>
${navHtml(page, frame.groups, to)}
</details>
<div class="side">
${navHtml(page, frame.groups, to)}
</div>
</nav>
<main id="site-content" tabindex="-1">
<h1>${page.heading ?? escapeHtml(page.title)}</h1>
${page.body}
${neighbours(page, frame.groups, to)}
</main>
${contents(page)}
</div>
<footer>Turnhouse ${escapeHtml(frame.version)} · <a href="${to("changelog.html")}">changelog</a> · MIT licence</footer>
</body>
</html>
`
}

function navHtml(page: Page, groups: readonly NavGroup[], to: (url: string) => string): string {
  const link = ({ url, title }: NavItem) =>
    `<a href="${to(url)}"${url === page.url ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a>`
  const list = (items: readonly NavItem[]): string => {
    const entries = items.map((item) => `<li>${link(item)}${isOpen(item, page) ? list(item.pages ?? []) : ""}</li>`)
    return `<ul>${entries.join("\n")}</ul>`
  }
  return groups.map(({ title, items }) => `<p class="group">${escapeHtml(title)}</p>${list(items)}`).join("\n")
}

function isOpen({ url, pages = [] }: NavItem, page: Page): boolean {
  return pages.length > 0 && (url === page.url || pages.some((other) => other.url === page.url))
}

function neighbours(page: Page, groups: readonly NavGroup[], to: (url: string) => string): string {
  const all = groups.flatMap(({ items }) => items.flatMap((item) => [item, ...(item.pages ?? [])]))
  const at = all.findIndex(({ url }) => url === page.url)
  if (at < 0) return ""
  const link = (item: NavItem | undefined, label: string, rel: string) =>
    item === undefined ? "" : `<a rel="${rel}" href="${to(item.url)}">${label}: ${escapeHtml(item.title)}</a>`
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(all[at - 1], "Previous", "prev")}${link(all[at + 1], "Next", "next")}</nav>`
}

/** With fewer sections a list of them is not worth its place. */
const MIN_SECTIONS = 3
/** With more entries only the sections of the first level are listed. */
const MAX_ENTRIES = 40

function contents({ body }: Page): string {
  const headings = [...body.matchAll(/<h([23]) id="([^"]+)">(.*?)<\/h[23]>/g)]
  const first = headings.filter(([, level]) => level === "2")
  if (first.length < MIN_SECTIONS) return ""
  const sections = headings.length > MAX_ENTRIES ? first : headings
  const items = sections.map(
    ([, level = "", id = "", text = ""]) =>
      `<li class="level${level}"><a href="#${id}">${text.replaceAll(/<\/?a[^>]*>/g, "")}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><p class="group">On this page</p><ul>${items.join("\n")}</ul></nav>`
}
