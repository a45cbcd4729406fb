// Addresses of a site: which belong to it, and the one form in which each is known.
import { FetchFault } from "../fetch/checked-url.ts"
import { siteLimits } from "./site-limits.ts"

export interface SiteScope {
  readonly origin: string
  /** Path of the folder in which pages of the site are. */
  readonly folder: string
}

/** The folder of the start address: `/docs/intro.html` and `/docs` are in `/docs/`. */
export function scopeOf(start: URL): SiteScope {
  const { origin, pathname } = start
  const last = pathname.slice(pathname.lastIndexOf("/") + 1)
  const isPage = last.includes(".")
  return {
    origin,
    folder: isPage ? pathname.slice(0, pathname.length - last.length) : `${pathname.replace(/\/$/, "")}/`,
  }
}

export function isInScope({ origin, folder }: SiteScope, url: URL): boolean {
  return url.origin === origin && (url.pathname.startsWith(folder) || `${url.pathname}/` === folder)
}

/**
 * The known form of an address of the site; undefined for others, and for those that lead into endless sites. Without a
 * fragment; a query belongs to it only where the site itself lists the address.
 */
export function siteAddress(
  scope: SiteScope,
  address: string,
  base: URL | undefined,
  keepsQuery: boolean,
): string | undefined {
  if (address.length > siteLimits.addressLength || !URL.canParse(address, base?.href)) return undefined
  const url = new URL(address, base?.href)
  url.hash = ""
  if (url.search !== "" && !keepsQuery) return undefined
  if (url.username !== "" || url.password !== "" || !isInScope(scope, url)) return undefined
  return isEndless(url) ? undefined : url.href
}

function isEndless({ href, pathname }: URL): boolean {
  const segments = pathname.split("/").filter((segment) => segment !== "")
  const counts = Map.groupBy(segments, (segment) => segment)
  const most = Math.max(0, ...[...counts.values()].map(({ length }) => length))
  return (
    href.length > siteLimits.addressLength ||
    segments.length > siteLimits.pathSegments ||
    most > siteLimits.sameSegments
  )
}

/** A site may redirect its start between http and https, and to or from `www.`; elsewhere it is another site. */
export function checkSameSite(asked: URL, found: URL): void {
  const isSamePort = asked.port === found.port || asked.protocol !== found.protocol
  if (plainHost(asked) !== plainHost(found) || !isSamePort)
    throw new FetchFault(`it redirects to ${found.origin}; add that address instead`)
}

function plainHost({ hostname }: URL): string {
  return hostname.replace(/^www\./, "")
}
