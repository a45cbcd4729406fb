// Share links of a home: creates, lists and revokes them.
import { SIGN_IN_MS } from "../../identity/sign-in/sign-in-codes.ts"
import type { Role } from "../../contract/values.ts"
import { createLinkKey, newLinkId, type Link } from "../../identity/links/link-key.ts"
import { isLoopbackHost } from "../../server/http/loopback.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import type { ClusterPlace } from "../cluster/cluster.ts"
import type { AppContext } from "../context.ts"
import { findByPrefix } from "../find-by-prefix.ts"
import { openLog } from "../host/open-log.ts"
import { consoleKey } from "../secrets/home-secrets.ts"
import { sessionNamed } from "../sessions/sessions.ts"
import { networkInterfaces } from "node:os"
import type { Config } from "../../contract/config.ts"
import { withoutTrailing } from "../../contract/text/text.ts"
import { addressOf, urlOf } from "../../server/address.ts"
import { withAccessStores } from "./access-stores.ts"
import { serverUrl } from "./server-note.ts"

export type ShareLink = Link

export interface LinkRequest {
  readonly role: Role
  /** The session by its id, name or alias. Absent: all sessions. */
  readonly session: string | undefined
  /** Absent: the native API. */
  readonly door: "ws" | undefined
  readonly seconds: number
  /** The public address of the server, where it is known. */
  readonly url: string | undefined
}

export interface CreatedLink {
  readonly link: ShareLink
  /** Contains the key. */
  readonly url: URL
  readonly isLocal: boolean
}

export async function createLink(context: AppContext, request: LinkRequest): Promise<CreatedLink> {
  const { home, config } = context
  const { role, session, door, seconds } = request
  const sessionId = session === undefined ? undefined : await sessionIdOf({ home, config }, session)
  const url = door === "ws" ? socketUrl(request.url, home, config) : pageUrl(request.url, home, config)
  const issuedAt = Date.now()
  const link: Link = {
    id: newLinkId(),
    role,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(door === undefined ? {} : { door }),
    issuedAt,
    expiresAt: issuedAt + seconds * 1000,
  }
  const key = createLinkKey(consoleKey(home), link)
  if (door === "ws") url.searchParams.set("token", key)
  else url.hash = `key=${key}`
  await withAccessStores(context, ({ links }) => links.add(link))
  return { link, url, isLocal: isLoopbackHost(url.host) }
}

export interface SignIn {
  /** Contains the code. */
  readonly url: URL
  readonly expiresAt: number
  readonly isLocal: boolean
  /** Whether a server of this home runs. */
  readonly isServed: boolean
}

/** An address that signs one browser in as the owner. */
export async function createSignIn(context: AppContext, requestedUrl: string | undefined): Promise<SignIn> {
  const { home, config } = context
  const url = pageUrl(requestedUrl, home, config)
  const now = Date.now()
  url.hash = `sign-in=${await withAccessStores(context, ({ signIns }) => signIns.create())}`
  const isServed = serverUrl(home) !== undefined
  return { url, expiresAt: now + SIGN_IN_MS, isLocal: isLoopbackHost(url.host), isServed }
}

export function validLinks(context: AppContext): Promise<readonly ShareLink[]> {
  return withAccessStores(context, ({ links }) => links.list())
}

/** By its id or a prefix of it. Returns the id. */
export function revokeLink(context: AppContext, idOrPrefix: string): Promise<string> {
  return withAccessStores(context, async ({ links }) => {
    const found = findByPrefix(await links.list(), "lnk_", idOrPrefix, ({ id }) => id)
    if (found.kind === "several")
      throw usageFault(`'${idOrPrefix}' matches several links. 'turnhouse link --ls' lists them.`)
    if (found.kind === "none" || !(await links.revoke(found.item.id)))
      throw new AppFault(`no valid link has the id '${idOrPrefix}'. 'turnhouse link --ls' lists them.`)
    return found.item.id
  })
}

async function sessionIdOf(place: ClusterPlace, idOrName: string): Promise<string> {
  const log = await openLog(place)
  try {
    return (await sessionNamed(log, idOrName)).sessionId
  } finally {
    await log.close()
  }
}

/** `given`: the public address, where it is known. */
function pageUrl(requestedUrl: string | undefined, home: string, config: Config): URL {
  const url = parsed(requestedUrl ?? serverUrl(home) ?? configuredUrl(config))
  const { names = [] } = config.server ?? {}
  if (requestedUrl === undefined && isEverywhere(url)) url.hostname = names[0] ?? outerAddress() ?? "localhost"
  url.pathname = `${withoutTrailing(url.pathname, "/")}/`
  url.search = ""
  url.hash = ""
  return url
}

function socketUrl(requestedUrl: string | undefined, home: string, config: Config): URL {
  const url = pageUrl(requestedUrl, home, config)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  url.pathname += "ws"
  return url
}

function configuredUrl(config: Config): string {
  const address = addressOf({}, config)
  return urlOf(address, address.port)
}

function parsed(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageFault(`--url: '${text}' is not an HTTP address. Use one such as https://turnhouse.example.`)
  return url
}

function isEverywhere({ hostname }: URL): boolean {
  return hostname === "0.0.0.0" || hostname === "[::]"
}

function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address
}
