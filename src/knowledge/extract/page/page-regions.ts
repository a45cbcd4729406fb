// Which parts of a page are its content, and which are navigation, banners and the like. Structure decides (main, article,
// nav, header, footer, aside), then names of classes together with the share of text that is links. When that would leave
// too little of the text, it is kept: better a menu too much than content too little.
import type { Attributes, PageHandler } from "./page-parser.ts"

/** Of the text that is no link: the least that a main part has, and that remains. */
const MIN_MAIN_SHARE = 0.3
const MIN_ARTICLE_SHARE = 0.5
/** A banner or a page's footer has at most so much of it. */
const MAX_BANNER_SHARE = 0.3
const MAX_CONSENT_SHARE = 0.7
/** Share of links in the text of what is navigation if its name says so, and of what is if nothing says so. */
const NAMED_LINK_DENSITY = 0.4
const UNNAMED_LINK_DENSITY = 0.8
const MIN_LINKS = 4
/** Of all text, links included: with less left the links are what the page is for. */
const MIN_TEXT_SHARE = 0.4
const MAX_NAVIGATION_LENGTH = 300
const MAX_PERMALINK_LENGTH = 2
const MAX_NAMES_LENGTH = 300
const MAX_HEADING_LENGTH = 300

const regionNames: ReadonlySet<string> = new Set(
  "div section nav header footer aside main article ul ol dl table form".split(" "),
)
const navigationRoles: ReadonlySet<string> = new Set(["navigation", "search", "menu", "menubar"])
const consent = /(?:^|[\s_-])(?:cookies?|consent|gdpr|onetrust|cookiebanner|cookieconsent)(?:$|[\s_-])/
const navigation =
  /(?:^|[\s_-])(?:nav|navigation|menu|sidebar|sphinxsidebar|toc|related|share|social|footer|newsletter)(?:$|[\s_-])/
const certainNavigation = /(?:^|[\s_-])(?:navheader|navfooter|navbar|breadcrumbs?|pagination|prevnext|skip)(?:$|[\s_-])/
const permalink = /(?:^|[\s_-])(?:headerlink|permalink|anchor|anchorjs)(?:$|[\s_-])/

interface Region {
  /** Which of the elements of the page it is. */
  readonly ordinal: number
  readonly parent: Region | undefined
  readonly name: string
  readonly role: string
  /** Classes and id. */
  readonly names: string
  /** Whether it is in the main part or an article. */
  readonly isInContent: boolean
  readonly isBeforeHeading: boolean
  text: number
  linkText: number
  links: number
  headings: number
}

export class PageRegions implements PageHandler {
  readonly #regions: Region[] = [region(0, undefined, "body", {}, true)]
  readonly #open: (Region | undefined)[] = []
  #innermost = this.#page
  #ordinal = 0
  #links = 0
  #headings = 0
  #isHeading = false
  heading = ""

  get #page(): Region {
    const [page = region(0, undefined, "body", {}, true)] = this.#regions
    return page
  }

  open(name: string, attributes: Attributes): void {
    this.#ordinal += 1
    if (name === "h1") this.#openHeading()
    if (name === "a") this.#links += 1
    if (name === "a") this.#innermost.links += 1
    const isRegion =
      regionNames.has(name) || "role" in attributes || (name === "a" && permalink.test(namesOf(attributes)))
    const opened = isRegion ? region(this.#ordinal, this.#innermost, name, attributes, this.#headings === 0) : undefined
    this.#open.push(opened)
    if (opened === undefined) return
    this.#regions.push(opened)
    this.#innermost = opened
  }

  addText(text: string): void {
    const { length } = text.trim()
    this.#innermost.text += length
    if (this.#links > 0) this.#innermost.linkText += length
    if (this.#isHeading) this.heading += text.slice(0, MAX_HEADING_LENGTH - this.heading.length)
  }

  close(name: string): void {
    if (name === "h1") this.#isHeading = false
    if (name === "a") this.#links -= 1
    const closed = this.#open.pop()
    if (closed?.parent === undefined) return
    const { parent, text, linkText, links, headings } = closed
    this.#innermost = parent
    parent.text += text
    parent.linkText += linkText
    parent.links += links
    parent.headings += headings
  }

  #openHeading(): void {
    this.#headings += 1
    this.#innermost.headings += 1
    this.#isHeading = this.heading.trim() === ""
  }

  /** To be called when the page has been read. */
  content(): PageContent {
    const page = this.#page
    const banners = this.#outermost(page, (part) => isNavigation(part) || isConsentBanner(part, page))
    const left = without(page, banners)
    if (left.text <= 0) return { root: undefined, dropped: new Set() }
    const root = this.#mainPart(left, banners)
    const whole = root ?? page
    const inner = without(
      whole,
      this.#outermost(whole, (part) => banners.has(part)),
    )
    const hasHeading = this.#headings > 0
    const isFurniture = (part: Region) => banners.has(part) || isBanner(part, left)
    const strict = this.#outermost(whole, (part) => isFurniture(part) || isLinkList(part, hasHeading))
    // A page of links, such as the contents of a manual, keeps them.
    const isIndex = without(whole, strict).text < inner.text * MIN_TEXT_SHARE
    const dropped = isIndex ? this.#outermost(whole, isFurniture) : strict
    const kept = without(whole, dropped)
    if (kept.text <= 0 || plain(kept) < plain(left) * MIN_MAIN_SHARE)
      return { root: undefined, dropped: ordinals(banners) }
    return { root: root?.ordinal, dropped: ordinals(dropped) }
  }

  #mainPart(left: Size, banners: ReadonlySet<Region>): Region | undefined {
    const outside = this.#outside(banners)
    const mains = outside.filter(({ name, role }) => name === "main" || role === "main")
    const [main] = mains
    if (mains.length === 1 && main !== undefined && plain(main) >= plain(left) * MIN_MAIN_SHARE) return main
    const articles = outside.filter(({ name, isInContent }) => name === "article" && !isInContent)
    const [article] = articles
    return articles.length === 1 && article !== undefined && plain(article) >= plain(left) * MIN_ARTICLE_SHARE
      ? article
      : undefined
  }

  #outside(parts: ReadonlySet<Region>): readonly Region[] {
    const outside = new Set<Region>()
    for (const part of this.#regions)
      if (!parts.has(part) && (part.parent === undefined || outside.has(part.parent))) outside.add(part)
    return [...outside]
  }

  /** Of the regions in `whole` that match, those that are in no other. */
  #outermost(whole: Region, matches: (part: Region) => boolean): ReadonlySet<Region> {
    const found = new Set<Region>()
    const inside = new Set<Region>([whole])
    for (const part of this.#regions) {
      if (part.parent === undefined || !inside.has(part.parent)) continue
      if (part !== whole && matches(part)) found.add(part)
      else inside.add(part)
    }
    return found
  }
}

export interface PageContent {
  /** The element that has the content; undefined for the whole page. */
  readonly root: number | undefined
  /** The elements that do not belong to it. */
  readonly dropped: ReadonlySet<number>
}

interface Size {
  readonly text: number
  readonly linkText: number
}

function region(
  ordinal: number,
  parent: Region | undefined,
  name: string,
  attributes: Attributes,
  isBeforeHeading: boolean,
): Region {
  const role = (attributes["role"] ?? "").toLowerCase()
  const isInContent = parent !== undefined && (parent.isInContent || isContent(parent))
  const sizes = { text: 0, linkText: 0, links: 0, headings: 0 }
  return { ordinal, parent, name, role, names: namesOf(attributes), isInContent, isBeforeHeading, ...sizes }
}

function namesOf({ class: classes = "", id = "" }: Attributes): string {
  return `${classes} ${id}`.slice(0, MAX_NAMES_LENGTH).toLowerCase()
}

function isContent({ name, role }: Region): boolean {
  return name === "main" || name === "article" || role === "main"
}

function isNavigation({ name, role }: Region): boolean {
  return name === "nav" || navigationRoles.has(role)
}

function isConsentBanner(part: Region, page: Region): boolean {
  return consent.test(part.names) && part.headings === 0 && plain(part) <= plain(page) * MAX_CONSENT_SHARE
}

function isBanner(part: Region, left: Size): boolean {
  const { name, role, names, isInContent, text, links, headings } = part
  const isSmall = plain(part) <= plain(left) * MAX_BANNER_SHARE
  if (name === "a") return text <= MAX_PERMALINK_LENGTH
  if (name === "header" || role === "banner") return !isInContent && isSmall && headings === 0
  if (name === "footer" || role === "contentinfo") return !isInContent && isSmall
  if (name === "aside" || role === "complementary")
    return isSmall && headings === 0 && (!isInContent || linkDensity(part) >= NAMED_LINK_DENSITY)
  return links > 0 && headings === 0 && plain(part) <= MAX_NAVIGATION_LENGTH && certainNavigation.test(names)
}

function isLinkList(part: Region, hasHeading: boolean): boolean {
  const { names, isBeforeHeading, links, headings } = part
  if (isContent(part) || headings > 0) return false
  if (linkDensity(part) >= NAMED_LINK_DENSITY && navigation.test(names)) return true
  return hasHeading && isBeforeHeading && links >= MIN_LINKS && linkDensity(part) >= UNNAMED_LINK_DENSITY
}

function linkDensity({ text, linkText }: Size): number {
  return text === 0 ? 0 : linkText / text
}

function plain({ text, linkText }: Size): number {
  return text - linkText
}

function without({ text, linkText }: Size, parts: ReadonlySet<Region>): Size {
  const all = [...parts]
  return {
    text: text - all.reduce((sum, part) => sum + part.text, 0),
    linkText: linkText - all.reduce((sum, part) => sum + part.linkText, 0),
  }
}

function ordinals(parts: ReadonlySet<Region>): ReadonlySet<number> {
  return new Set([...parts].map(({ ordinal }) => ordinal))
}

/** Passes on only the content of a page. */
export class ContentOnly implements PageHandler {
  readonly #page: PageHandler
  readonly #content: PageContent
  #ordinal = 0
  #droppedDepth = 0
  #rootDepth = 0

  constructor(page: PageHandler, content: PageContent) {
    this.#page = page
    this.#content = content
  }

  open(name: string, attributes: Attributes): void {
    this.#ordinal += 1
    const { root, dropped } = this.#content
    if (this.#droppedDepth > 0 || dropped.has(this.#ordinal)) return void (this.#droppedDepth += 1)
    if (this.#rootDepth > 0 || this.#ordinal === root) this.#rootDepth += 1
    if (this.#isShown) this.#page.open(name, attributes)
  }

  addText(text: string): void {
    if (this.#droppedDepth === 0 && this.#isShown) this.#page.addText(text)
  }

  close(name: string): void {
    if (this.#droppedDepth > 0) return void (this.#droppedDepth -= 1)
    if (this.#isShown) this.#page.close(name)
    if (this.#rootDepth > 0) this.#rootDepth -= 1
  }

  get #isShown(): boolean {
    return this.#content.root === undefined || this.#rootDepth > 0
  }
}
