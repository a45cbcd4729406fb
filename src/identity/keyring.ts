// Who comes with a key: the owner of this home with the console's, or whoever was given a link. A key that is good now
// may not be so a moment later, so whoever lets somebody in asks again.
import type { Role } from "../contract/values.ts"
import { isSameText } from "./same-text.ts"
import type { LinkBook } from "./link-book.ts"
import { linkIn, rolesOfLink, type Link } from "./link-key.ts"

export interface KeyHolder {
  readonly name: string
  /** Nothing for the owner, who has them all. */
  readonly roles: readonly Role[] | undefined
  /** The only session that they may see. */
  readonly sessionId: string | undefined
  isGood(now: number): boolean
}

export class Keyring {
  readonly #consoleKey: string
  readonly #links: LinkBook
  readonly #owner: string

  constructor(consoleKey: string, links: LinkBook, owner: string) {
    this.#consoleKey = consoleKey
    this.#links = links
    this.#owner = owner
  }

  holderOf(key: string, now: number): KeyHolder | undefined {
    if (isSameText(key, this.#consoleKey))
      return { name: this.#owner, roles: undefined, sessionId: undefined, isGood: () => true }
    const link = linkIn(this.#consoleKey, key, now)
    return link === undefined || !this.#links.has(link.id) ? undefined : this.#holder(link)
  }

  #holder(link: Link): KeyHolder {
    const { id, sessionId, expiresAt } = link
    const isGood = (now: number) => expiresAt > now && this.#links.has(id)
    return { name: id, roles: rolesOfLink(link), sessionId, isGood }
  }
}
