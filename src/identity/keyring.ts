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

export interface Grant extends Pick<KeyHolder, "name" | "isGood"> {
  readonly sessionId: string
  readonly expiresAt: number
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
    const link = this.#linkOf(key, now)
    return link === undefined || link.door === "ws" ? undefined : this.#holder(link)
  }

  /** A visitor with a link for /ws, which opens its session there and nothing else. */
  grantOf(key: string, now: number): Grant | undefined {
    const link = this.#linkOf(key, now)
    if (link?.door !== "ws" || link.sessionId === undefined) return undefined
    const { id: name, sessionId, expiresAt } = link
    return { name, sessionId, expiresAt, isGood: (at) => this.#isGood(link, at) }
  }

  #linkOf(key: string, now: number): Link | undefined {
    const link = linkIn(this.#consoleKey, key, now)
    return link !== undefined && this.#links.has(link.id) ? link : undefined
  }

  #holder(link: Link): KeyHolder {
    const { id, sessionId } = link
    return { name: id, roles: rolesOfLink(link), sessionId, isGood: (now) => this.#isGood(link, now) }
  }

  #isGood({ id, expiresAt }: Link, now: number): boolean {
    return expiresAt > now && this.#links.has(id)
  }
}
