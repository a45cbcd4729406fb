// Share links of a home: one file each in a folder.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isLink, isLinkId, type Link } from "./link-key.ts"
import type { LinkStore } from "./link-store.ts"

export class FileLinkStore implements LinkStore {
  readonly #folder: string
  readonly #now: () => number

  constructor(home: string, now: () => number = Date.now) {
    this.#folder = join(home, "links")
    this.#now = now
  }

  async add(link: Link): Promise<void> {
    if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(this.#folder, 0o700)
    writeFileSync(this.#file(link.id), `${JSON.stringify(link)}\n`, { flag: "wx", mode: 0o600, flush: true })
  }

  async has(id: string): Promise<boolean> {
    return this.isStillThere(id)
  }

  isStillThere(id: string): boolean {
    return isLinkId(id) && existsSync(this.#file(id))
  }

  /** Deletes expired links. */
  async list(): Promise<readonly Link[]> {
    const now = this.#now()
    const links = this.#links()
    for (const { id, expiresAt } of links) if (expiresAt <= now) rmSync(this.#file(id), { force: true })
    return links.filter(({ expiresAt }) => expiresAt > now).toSorted((one, other) => other.issuedAt - one.issuedAt)
  }

  async revoke(id: string): Promise<boolean> {
    if (!this.isStillThere(id)) return false
    rmSync(this.#file(id), { force: true })
    return true
  }

  async close(): Promise<void> {}

  #links(): readonly Link[] {
    if (!existsSync(this.#folder)) return []
    const ids = readdirSync(this.#folder).map((name) => name.replace(/\.json$/, ""))
    return ids.filter(isLinkId).flatMap((id) => this.#read(id) ?? [])
  }

  /** Undefined for a file that was deleted in the meantime or is not a link. */
  #read(id: string): Link | undefined {
    try {
      const link: unknown = JSON.parse(readFileSync(this.#file(id), "utf8"))
      return isLink(link) && link.id === id ? link : undefined
    } catch {
      return undefined
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`)
  }
}
