// Sends the requests of provider packages, in place of the platform's `fetch`: that takes as long to load as Node itself, and twice
// the processor time for a request. What is rare (redirects, other bodies than text) is left to it.
import type { IncomingMessage } from "node:http"
import { pipeline, type Readable } from "node:stream"
import type { Fetch } from "../providers/provider.ts"
import { connectionsFor } from "./connections.ts"
import { HttpAnswer } from "./http-answer.ts"
import { PlainHeaders } from "./plain-headers.ts"

interface PlainRequest {
  readonly url: URL
  readonly method: string
  readonly headers: PlainHeaders
  readonly body: string | undefined
  readonly signal: AbortSignal | undefined
}

const platformFetch = globalThis.fetch

/** A program that has replaced the platform's `fetch` gets the requests. */
export const httpFetch: Fetch = async (input, init) => {
  const request = globalThis.fetch === platformFetch ? plainRequest(input, init) : undefined
  if (request === undefined) return globalThis.fetch(input, init)
  request.signal?.throwIfAborted()
  const message = await send(request)
  const { statusCode: status = 0, statusMessage: statusText = "" } = message
  if (isRedirect(status) && init?.redirect !== "manual") {
    message.destroy()
    return globalThis.fetch(input, init)
  }
  const headers = receivedHeaders(message)
  const bytes = await decoded(message, headers.get("content-encoding"))
  return new HttpAnswer({ url: request.url.href, status, statusText, headers }, bytes)
}

/** Undefined for what the platform's `fetch` has to send. */
function plainRequest(input: Parameters<Fetch>[0], init: RequestInit = {}): PlainRequest | undefined {
  if (typeof input !== "string" && !(input instanceof URL)) return undefined
  const { method = "GET", headers, body = null, signal } = init
  if (body !== null && typeof body !== "string") return undefined
  const url = new URL(input)
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  if (url.username !== "" || url.password !== "") return undefined
  return { url, method, headers: sentHeaders(headers), body: body ?? undefined, signal: signal ?? undefined }
}

function sentHeaders(given: RequestInit["headers"]): PlainHeaders {
  const headers = new PlainHeaders(given)
  if (!headers.has("accept")) headers.set("accept", "*/*")
  if (!headers.has("user-agent")) headers.set("user-agent", "node")
  return headers
}

async function send({ url, method, headers, body, signal }: PlainRequest): Promise<IncomingMessage> {
  const { request, agent } = await connectionsFor(url.protocol)
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: { ...Object.fromEntries(headers), ...length } })
    let answer: IncomingMessage | undefined
    const abort = () => (answer ?? sent).destroy(errorOf(signal?.reason))
    signal?.addEventListener("abort", abort, { once: true })
    sent.on("close", () => signal?.removeEventListener("abort", abort))
    sent.on("error", (fault) => reject(signal?.aborted === true ? signal.reason : failed(fault)))
    sent.on("response", (message) => {
      answer = message
      resolve(message)
    })
    sent.end(body)
  })
}

/** As the platform's `fetch` throws it: the packages explain this to the user. */
function failed(cause: Error): TypeError {
  return new TypeError("fetch failed", { cause })
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}

function receivedHeaders({ rawHeaders }: IncomingMessage): PlainHeaders {
  const headers = new PlainHeaders()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "")
  return headers
}

/** No compression is asked for, but some gateways compress anyway. */
async function decoded(message: IncomingMessage, encoding: string | null): Promise<Readable> {
  if (encoding === null || encoding === "identity") return message
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib")
  const decoders: Readonly<Record<string, typeof createGunzip>> = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
  }
  const decoder = encoding === "br" ? createBrotliDecompress() : decoders[encoding]?.()
  if (decoder === undefined) return message
  return pipeline(message, decoder, () => {}) // the reader of the decoder sees its fault
}
