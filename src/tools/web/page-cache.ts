// Texts of pages that were cut, so that the next part of a page comes from the same text. In memory, newest last.

interface KeptPage<Page> {
  readonly page: Page
  readonly until: number
}

const MAX_PAGES = 8
/** Characters of one page; a longer one is fetched again. */
const MAX_LENGTH = 4_000_000
const KEPT_MS = 15 * 60 * 1000

export class PageCache<Page extends { readonly text: string }> {
  readonly #pages = new Map<string, KeptPage<Page>>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  get(key: string): Page | undefined {
    const kept = this.#pages.get(key)
    return kept === undefined || kept.until < this.#now() ? undefined : kept.page
  }

  put(key: string, page: Page): void {
    this.#pages.delete(key)
    if (page.text.length > MAX_LENGTH) return
    this.#pages.set(key, { page, until: this.#now() + KEPT_MS })
    const oldest = this.#pages.keys().next().value
    if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest)
  }
}
