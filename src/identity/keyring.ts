// Identifies the holder of a key: the owner of this home (console key) or the holder of a share link. A key can expire
// or be revoked while its holder is connected, so callers check `isValid` again.
import type { Role } from "../contract/values.ts"
import { equalInConstantTime } from "./constant-time.ts"
import type { LinkStore } from "./links/link-store.ts"
import { parseLinkKey, linkRoles, type Link } from "./links/link-key.ts"

export interface KeyHolder {
  readonly name: string
  /** Undefined for the owner, who has all of them. */
  readonly roles: readonly Role[] | undefined
  /** The only session that the holder may see. */
  readonly sessionId: string | undefined
  isValid(now: number): boolean
}

export interface Grant extends Pick<KeyHolder, "name" | "isValid"> {
  readonly sessionId: string
  readonly expiresAt: number
}

export class Keyring {
  readonly #consoleKey: string
  readonly #links: LinkStore
  readonly #owner: string

  constructor(consoleKey: string, links: LinkStore, owner: string) {
    this.#consoleKey = consoleKey
    this.#links = links
    this.#owner = owner
  }

  async holderOf(key: string, now: number): Promise<KeyHolder | undefined> {
    if (equalInConstantTime(key, this.#consoleKey))
      return { name: this.#owner, roles: undefined, sessionId: undefined, isValid: () => true }
    const link = await this.#linkOf(key, now)
    return link === undefined || link.door === "ws" ? undefined : this.#holder(link)
  }

  /** For a link to /ws, which opens its one session there. */
  async grantOf(key: string, now: number): Promise<Grant | undefined> {
    const link = await this.#linkOf(key, now)
    if (link?.door !== "ws" || link.sessionId === undefined) return undefined
    const { id: name, sessionId, expiresAt } = link
    return { name, sessionId, expiresAt, isValid: (at) => this.#isValid(link, at) }
  }

  async #linkOf(key: string, now: number): Promise<Link | undefined> {
    const link = parseLinkKey(this.#consoleKey, key, now)
    return link !== undefined && (await this.#links.has(link.id)) ? link : undefined
  }

  #holder(link: Link): KeyHolder {
    const { id, role, sessionId } = link
    const name = role === "owner" ? this.#owner : id
    return { name, roles: linkRoles(link), sessionId, isValid: (now) => this.#isValid(link, now) }
  }

  #isValid({ id, expiresAt }: Link, now: number): boolean {
    return expiresAt > now && this.#links.isStillThere(id)
  }
}
