// Fetches one page from the public internet. Resolves the name once per hop and connects to exactly the checked address,
// so that DNS rebinding has no effect. Redirects are checked the same way. No cookies, credentials or proxies.
import { messageOf } from "../../contract/faults.ts"
import { lookup } from "node:dns/promises"
import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { pipeline, type Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import { isPublicAddress } from "./address-guard.ts"
import { checkedUrl, FetchFault } from "./checked-url.ts"

export interface FetchOptions {
  /** Resolves a name. For tests; otherwise the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** Whether a connection may go to this address of the URL's host. Default: if it is public. */
  readonly isAllowed?: (address: string, url: URL) => boolean
  readonly maxBytes?: number
  readonly milliseconds?: number
  readonly signal?: AbortSignal
  readonly accept?: string
  /** Default: every redirect is followed. One that is not is returned as `redirectsTo`. */
  readonly follows?: (from: URL, to: URL) => boolean
  /** Whether pages with another status than 200 are read as well. */
  readonly readsErrors?: boolean
  /** Of an earlier answer: an unchanged page has the status 304 and no body. */
  readonly validators?: Validators | undefined
}

export interface Validators {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
}

export interface FetchedPage {
  /** Of the last hop. */
  readonly url: URL
  readonly status: number
  readonly redirectsTo?: URL
  readonly mediaType: string
  readonly body: Buffer
  readonly validators?: Validators
  /** What its server allows robots: the header X-Robots-Tag. */
  readonly robots?: string
}

const MAX_REDIRECTS = 5
const defaults = {
  maxBytes: 16 * 1024 * 1024,
  milliseconds: 30_000,
  accept: "text/html, text/markdown, text/plain, application/pdf, */*;q=0.1",
}

export async function fetchPage(address: string, options: FetchOptions = {}): Promise<FetchedPage> {
  const { promise: tooLong, reject: fail } = Promise.withResolvers<never>()
  const stop = new AbortController()
  const timer = setTimeout(() => {
    fail(new FetchFault("it takes too long to answer"))
    stop.abort()
  }, options.milliseconds ?? defaults.milliseconds)
  try {
    // A page that was cut off by the timeout must not pass for a whole one.
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal])
    return await Promise.race([tooLong, follow(address, options, signal)])
  } catch (fault) {
    if (fault instanceof FetchFault) throw fault
    throw new FetchFault(messageOf(fault), { cause: fault })
  } finally {
    clearTimeout(timer)
  }
}

async function follow(address: string, options: FetchOptions, signal: AbortSignal): Promise<FetchedPage> {
  let url = checkedUrl(address)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const { accept, validators } = options
    const response = await ask(url, { addresses: await pinned(url, options), accept, validators, signal })
    const target = redirectTarget(response, url)
    if (target === undefined) return read(response, url, options)
    response.destroy()
    if (options.follows?.(url, target) === false) return redirect(url, response, target)
    url = target
  }
  throw new FetchFault(`it redirects more than ${MAX_REDIRECTS} times`)
}

/** A name with one private address is refused, even if its others are public. */
async function pinned(
  url: URL,
  { resolve = resolveName, isAllowed = isPublicAddress }: FetchOptions,
): Promise<readonly string[]> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  if (addresses.length === 0) throw new FetchFault(`${host} has no address`)
  if (!addresses.every((address) => isAllowed(address, url))) throw new FetchFault(`${host} is not a public address`)
  return addresses
}

async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

interface Request {
  /** Checked; the connection goes to one of them. */
  readonly addresses: readonly string[]
  readonly accept: string | undefined
  readonly validators: Validators | undefined
  readonly signal: AbortSignal
}

function ask(url: URL, { addresses, accept = defaults.accept, validators, signal }: Request): Promise<IncomingMessage> {
  const make = url.protocol === "https:" ? httpsRequest : httpRequest
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return new Promise((answer, fail) => {
    const sent = make(url, {
      signal,
      agent: false,
      headers: {
        accept,
        "accept-encoding": "gzip, deflate, br",
        "user-agent": "turnhouse",
        ...(validators?.etag === undefined ? {} : { "if-none-match": validators.etag }),
        ...(validators?.lastModified === undefined ? {} : { "if-modified-since": validators.lastModified }),
      },
      lookup: (_host, { all }, give) => {
        if (all === true) give(null, found)
        else give(null, found[0]?.address ?? "", found[0]?.family)
      },
    })
    sent.on("upgrade", (_response, socket) => {
      socket.destroy()
      fail(new FetchFault("the server answers 101"))
    })
    sent.on("response", answer).on("error", fail).end()
  })
}

function redirectTarget({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined
  return checkedUrl(headers.location, from)
}

function redirect(url: URL, { statusCode: status = 0 }: IncomingMessage, redirectsTo: URL): FetchedPage {
  return { url, status, mediaType: "", body: Buffer.alloc(0), redirectsTo }
}

/** Counted after decompression. */
async function read(response: IncomingMessage, url: URL, options: FetchOptions): Promise<FetchedPage> {
  const { statusCode: status = 0, headers } = response
  const maxBytes = options.maxBytes ?? defaults.maxBytes
  const isUnchanged = status === 304 && options.validators !== undefined
  if (status !== 200 && !isUnchanged && options.readsErrors !== true) {
    response.destroy()
    throw new FetchFault(`the server answers ${status}`)
  }
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of unpackedStream(response)) {
    if (!(part instanceof Uint8Array)) continue
    bytes += part.byteLength
    if (bytes > maxBytes) {
      response.destroy()
      throw new FetchFault(`it is larger than ${maxBytes} bytes`)
    }
    parts.push(Buffer.from(part))
  }
  const validators = { etag: headers.etag, lastModified: headers["last-modified"] }
  const robots = String(headers["x-robots-tag"] ?? "")
  return { url, status, mediaType: headers["content-type"] ?? "", body: Buffer.concat(parts), validators, robots }
}

function unpackedStream(response: IncomingMessage): AsyncIterable<unknown> {
  switch (response.headers["content-encoding"] ?? "identity") {
    case "identity":
      return response
    case "gzip":
      return pipeThrough(response, createGunzip())
    case "deflate":
      return pipeThrough(response, createInflate())
    case "br":
      return pipeThrough(response, createBrotliDecompress())
    default:
      throw new FetchFault("its compression is not supported")
  }
}

/** The end of either stream ends both; the reader gets the error. */
function pipeThrough(response: IncomingMessage, unpacking: Transform): Transform {
  return pipeline(response, unpacking, () => {})
}
