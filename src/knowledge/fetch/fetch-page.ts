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

export interface FetchOptions {
  /** Resolves a name. For tests; otherwise the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** For tests; otherwise only public addresses are allowed. */
  readonly isAllowed?: (address: string) => boolean
  readonly maxBytes?: number
  readonly milliseconds?: number
}

export interface FetchedPage {
  readonly mediaType: string
  readonly body: Buffer
}

export class FetchFault extends Error {
  override readonly name = "FetchFault"
}

const MAX_REDIRECTS = 5
const defaults = { maxBytes: 16 * 1024 * 1024, milliseconds: 30_000 }

export async function fetchPage(address: string, options: FetchOptions = {}): Promise<FetchedPage> {
  const { promise: tooLong, reject: fail } = Promise.withResolvers<never>()
  const stop = new AbortController()
  const timer = setTimeout(() => {
    fail(new FetchFault("it takes too long to answer"))
    stop.abort()
  }, options.milliseconds ?? defaults.milliseconds)
  try {
    // A page that was cut off by the timeout must not pass for a whole one.
    return await Promise.race([tooLong, follow(address, options, stop.signal)])
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
    const response = await ask(url, await pinned(url, options), signal)
    const target = redirectTarget(response, url)
    if (target === undefined) return read(response, options.maxBytes ?? defaults.maxBytes)
    response.destroy()
    url = target
  }
  throw new FetchFault(`it redirects more than ${MAX_REDIRECTS} times`)
}

export function checkedUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new FetchFault("it is not a valid address")
  const url = new URL(address, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new FetchFault("only http and https are fetched")
  if (url.username !== "" || url.password !== "") throw new FetchFault("addresses with a password are not fetched")
  return url
}

/** A name with one private address is refused, even if its others are public. */
async function pinned(url: URL, { resolve = resolveName, isAllowed = isPublicAddress }: FetchOptions): Promise<string> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  const [first] = addresses
  if (first === undefined) throw new FetchFault(`${host} has no address`)
  if (!addresses.every(isAllowed)) throw new FetchFault(`${host} is not a public address`)
  return first
}

async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

function ask(url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> {
  const make = url.protocol === "https:" ? httpsRequest : httpRequest
  const family = isIP(address)
  return new Promise((answer, fail) => {
    const sent = make(url, {
      signal,
      agent: false,
      headers: {
        accept: "text/html, text/markdown, text/plain, application/pdf, */*;q=0.1",
        "accept-encoding": "gzip, deflate, br",
        "user-agent": "turnhouse",
      },
      lookup: (_host, { all }, found) => {
        if (all === true) found(null, [{ address, family }])
        else found(null, address, family)
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

/** Counted after decompression. */
async function read(response: IncomingMessage, maxBytes: number): Promise<FetchedPage> {
  const { statusCode = 0, headers } = response
  if (statusCode !== 200) {
    response.destroy()
    throw new FetchFault(`the server answers ${statusCode}`)
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
  return { mediaType: headers["content-type"] ?? "", body: Buffer.concat(parts) }
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
