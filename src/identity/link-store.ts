// The valid share links: one file each in a folder of the home. A link whose file is missing is revoked, at once and in
// every process, also for connected clients.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isLink, isLinkId, type Link } from "./link-key.ts"

export class LinkStore {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, "links")
  }

  add(link: Link): void {
    if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(this.#folder, 0o700)
    writeFileSync(this.#file(link.id), `${JSON.stringify(link)}\n`, { flag: "wx", mode: 0o600, flush: true })
  }

  has(id: string): boolean {
    return isLinkId(id) && existsSync(this.#file(id))
  }

  /** Newest first. Deletes expired links. */
  list(now: number): readonly Link[] {
    const links = this.#links()
    for (const { id, expiresAt } of links) if (expiresAt <= now) rmSync(this.#file(id), { force: true })
    return links.filter(({ expiresAt }) => expiresAt > now).toSorted((one, other) => other.issuedAt - one.issuedAt)
  }

  /** False if there is no such link. */
  revoke(id: string): boolean {
    if (!this.has(id)) return false
    rmSync(this.#file(id), { force: true })
    return true
  }

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
