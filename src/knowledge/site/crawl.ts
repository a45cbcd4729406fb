// Visits the pages of a site one after the other, from its start and its sitemaps, as its robots.txt allows. Ends at its
// limits. Every redirect that leaves the site, to a private address or another server, is not followed.
import { setTimeout as sleep } from "node:timers/promises"
import { extname } from "node:path"
import { charsetOf, decodePage } from "../extract/page-encoding.ts"
import { kindOfMediaType, kindOfName } from "../extract/kinds.ts"
import { checkedUrl, FetchFault } from "../fetch/checked-url.ts"
import { fetchPage, type FetchedPage, type FetchOptions, type Validators } from "../fetch/fetch-page.ts"
import { pageLinks, robotsHeader } from "./page-links.ts"
import { noRobots, readRobots, type Robots } from "./robots.ts"
import { readSitemap, type Sitemap } from "./sitemap.ts"
import { checkSameSite, siteAddress, type SiteScope, scopeOf } from "./site-address.ts"
import { siteLimits } from "./site-limits.ts"

export interface CrawlOptions {
  readonly fetching: FetchOptions
  readonly maxPages: number
  readonly maxDepth: number
  readonly delayMs: number
  readonly signal: AbortSignal
  readonly isWanted: (path: string) => boolean
  /** Of an earlier visit, if the page is in the index. */
  readonly known: (address: string) => (Validators & { readonly links: readonly string[] }) | undefined
}

export type Visit =
  | { readonly kind: "page"; readonly address: string; readonly page: FetchedPage; readonly links: readonly string[] }
  | { readonly kind: "unchanged"; readonly address: string }
  | { readonly kind: "gone"; readonly address: string; readonly status: number }
  | { readonly kind: "failed"; readonly address: string; readonly fault: FetchFault }

const agent = "turnhouse"

export class Crawl {
  readonly #options: CrawlOptions
  readonly #waiting: { readonly address: string; readonly depth: number }[] = []
  readonly #seen = new Set<string>()
  #scope: SiteScope = { origin: "", folder: "/" }
  #robots: Robots = noRobots
  #pages = 0
  #bytes = 0
  #hasAsked = false
  /** Why it ended before all pages were visited. */
  cutBy: string | undefined
  hasFailures = false
  forbidden = 0
  /** Of sitemaps. */
  readonly problems: string[] = []

  constructor(options: CrawlOptions) {
    this.#options = options
  }

  /** Throws FetchFault if the site cannot be read at all. */
  async *visits(start: string): AsyncGenerator<Visit> {
    const began = performance.now()
    const first = await this.#begin(checkedUrl(start))
    if (first !== undefined) yield first
    while (this.cutBy === undefined) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#options.signal.throwIfAborted()
      if (this.#pages >= this.#options.maxPages)
        this.cutBy = `the limit of ${this.#options.maxPages} pages (--max-pages)`
      else if (performance.now() - began > siteLimits.milliseconds) this.cutBy = "the limit of one hour"
      else if (this.#bytes > siteLimits.bytes) this.cutBy = `the limit of ${siteLimits.bytes / 1024 / 1024} MiB`
      else {
        const visit = await this.#visit(next.address, next.depth)
        if (visit !== undefined) yield visit
      }
    }
  }

  /** The start may redirect within the site, which decides its form. */
  async #begin(start: URL): Promise<Visit | undefined> {
    this.#robots = await this.#robotsOf(start)
    this.#checkAllowed(start)
    const follows = (from: URL, to: URL) => this.#robots.allows(pathOf(to)) || to.origin !== from.origin
    const page = await this.#fetch(start.href, { follows })
    checkSameSite(start, page.url)
    if (page.url.origin !== start.origin) {
      this.#robots = await this.#robotsOf(page.url)
      this.#checkAllowed(page.url)
    }
    if (page.status !== 200) throw new FetchFault(`the server answers ${page.status}`)
    this.#scope = scopeOf(page.url)
    const address = siteAddress(this.#scope, page.url.href, undefined, true)
    if (address === undefined) throw new FetchFault("its address is too long")
    this.#seen.add(address)
    this.#pages += 1
    await this.#addSitemaps()
    return this.#taken(address, 0, page)
  }

  #checkAllowed(url: URL): void {
    if (!this.#robots.allows(pathOf(url))) throw new FetchFault(`robots.txt of ${url.origin} does not allow it`)
  }

  async #robotsOf({ origin }: URL): Promise<Robots> {
    const page = await this.#fetch(`${origin}/robots.txt`, { maxBytes: siteLimits.robotsBytes })
    if (page.status >= 500 || page.status === 429)
      throw new FetchFault(`robots.txt of ${origin} cannot be read: the server answers ${page.status}`)
    return page.status === 200 ? readRobots(page.body.toString("utf8"), agent) : noRobots
  }

  async #addSitemaps(): Promise<void> {
    const waiting = [...this.#robots.sitemaps, `${this.#scope.origin}/sitemap.xml`].map((address) => ({
      address,
      depth: 0,
    }))
    const seen = new Set<string>()
    let [bytes, entries] = [0, 0]
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (seen.size >= siteLimits.sitemaps || bytes > siteLimits.allSitemapBytes) return
      if (seen.has(next.address) || !this.#isOwn(next.address)) continue
      seen.add(next.address)
      const { pages, sitemaps, problem, size } = await this.#sitemap(next.address)
      if (problem !== undefined) this.problems.push(`${next.address}: ${problem}`)
      bytes += size
      for (const page of pages) {
        if (entries++ >= siteLimits.sitemapEntries) return
        this.#add(page, undefined, 1, true)
      }
      const { depth } = next
      if (depth < siteLimits.sitemapDepth) waiting.push(...sitemaps.map((address) => ({ address, depth: depth + 1 })))
    }
  }

  #isOwn(address: string): boolean {
    return URL.canParse(address) && new URL(address).origin === this.#scope.origin
  }

  /** Links lead to the pages too, so one that cannot be used does not end the visit. */
  async #sitemap(address: string): Promise<Sitemap & { readonly size: number }> {
    const none = { pages: [], sitemaps: [], size: 0 }
    if (!this.#robots.allows(pathOf(new URL(address)))) return none
    try {
      const page = await this.#fetch(address, { maxBytes: siteLimits.sitemapBytes })
      return page.status === 200 ? { ...readSitemap(page.body), size: page.body.byteLength } : none
    } catch (fault) {
      if (fault instanceof FetchFault) return { ...none, problem: fault.message }
      throw fault
    }
  }

  async #visit(address: string, depth: number): Promise<Visit | undefined> {
    const url = new URL(address)
    if (!this.#robots.allows(pathOf(url))) {
      this.forbidden += 1
      return undefined
    }
    const known = this.#options.known(address)
    this.#pages += 1
    try {
      const page = await this.#fetch(address, { validators: known, follows: () => false })
      if (page.status === 304 && known !== undefined) {
        this.#addLinks(known.links, undefined, depth)
        return { kind: "unchanged", address }
      }
      return this.#taken(address, depth, page)
    } catch (fault) {
      if (!(fault instanceof FetchFault)) throw fault
      this.#addLinks(known?.links ?? [], undefined, depth)
      this.hasFailures = true
      return { kind: "failed", address, fault }
    }
  }

  #taken(address: string, depth: number, page: FetchedPage): Visit | undefined {
    const { status } = page
    this.#bytes += page.body.byteLength
    if (page.redirectsTo !== undefined) {
      this.#add(page.redirectsTo.href, undefined, depth, page.redirectsTo.search !== "")
      return undefined
    }
    if (status === 404 || status === 410) return { kind: "gone", address, status }
    if (status === 429 || status === 503) this.cutBy = `the server, which asks for fewer requests (${status})`
    if (status !== 200) throw new FetchFault(`the server answers ${status}`)
    const kind = kindOfMediaType(page.mediaType) ?? kindOfName(page.url.pathname)
    if (kind === undefined) return undefined
    return kind === "html" ? this.#html(address, depth, page) : this.#wanted(address, page, [])
  }

  #html(address: string, depth: number, page: FetchedPage): Visit | undefined {
    const said = pageLinks(decodePage(page.body, charsetOf(page.mediaType)))
    const base =
      said.base !== undefined && URL.canParse(said.base, page.url.href) ? new URL(said.base, page.url) : page.url
    const header = robotsHeader(page.robots ?? "")
    const links = said.noFollow || header.noFollow ? [] : this.#addLinks(said.links, base, depth)
    const canonical = said.canonical === undefined ? undefined : siteAddress(this.#scope, said.canonical, base, true)
    if (canonical !== undefined && canonical !== address) {
      this.#add(canonical, undefined, depth, true)
      return undefined
    }
    return said.noIndex ? undefined : this.#wanted(address, page, links)
  }

  #wanted(address: string, page: FetchedPage, links: readonly string[]): Visit | undefined {
    if (robotsHeader(page.robots ?? "").noIndex) return undefined
    const path = decodedPath(new URL(address))
    return this.#options.isWanted(path) ? { kind: "page", address, page, links } : undefined
  }

  /** Returns those that belong to the site. */
  #addLinks(links: readonly string[], base: URL | undefined, depth: number): readonly string[] {
    return links.flatMap((link) => this.#add(link, base, depth + 1, base === undefined) ?? [])
  }

  #add(link: string, base: URL | undefined, depth: number, keepsQuery: boolean): string | undefined {
    const address = siteAddress(this.#scope, link, base, keepsQuery)
    if (address === undefined || !mayBePage(address)) return undefined
    if (depth > this.#options.maxDepth || this.#seen.has(address)) return address
    if (this.#waiting.length >= siteLimits.waiting) return address
    this.#seen.add(address)
    this.#waiting.push({ address, depth })
    return address
  }

  async #fetch(address: string, more: FetchOptions): Promise<FetchedPage> {
    const { fetching, delayMs, signal } = this.#options
    if (this.#hasAsked) await sleep(this.#robots.delayMs ?? delayMs, undefined, { signal })
    this.#hasAsked = true
    const options = { ...fetching, maxBytes: siteLimits.pageBytes, ...more, signal, readsErrors: true }
    const page = await fetchPage(address, options)
    signal.throwIfAborted()
    return page
  }
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`
}

function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname).slice(1)
  } catch {
    return pathname.slice(1)
  }
}

const otherEndings = new Set(
  ".png .jpg .jpeg .gif .webp .svg .ico .bmp .css .js .mjs .json .xml .rss .atom .zip .gz .tgz .tar .bz2 .xz .7z .rar .exe .dmg .msi .deb .rpm .iso .mp3 .mp4 .mov .avi .webm .ogg .wav .woff .woff2 .ttf".split(
    " ",
  ),
)

function mayBePage(address: string): boolean {
  return !otherEndings.has(extname(new URL(address).pathname).toLowerCase())
}
