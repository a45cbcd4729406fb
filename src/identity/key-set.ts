// JSON Web Key Set of the token issuer, from a URL or a file. Cached; a token with an unknown key id reloads it, at most
// once per pause. While it cannot be loaded, the last one stays valid for an hour.
import { readFile } from "node:fs/promises"
import type { RemoteJWKSet } from "jose"

export interface KeySetTimes {
  /** Keys older than this are reloaded. */
  readonly maxAgeMs: number
  /** Minimum time between two requests, successful or not. */
  readonly pauseMs: number
  /** How long keys stay valid that cannot be reloaded. */
  readonly staleMs: number
}

export const keySetTimes: KeySetTimes = { maxAgeMs: 600_000, pauseMs: 30_000, staleMs: 3_600_000 }

const MAX_BYTES = 1024 * 1024

export interface KeySetOptions {
  readonly source: string
  readonly times: KeySetTimes
  readonly now: () => number
  readonly warn: (sentence: string) => void
}

export async function openKeySet(options: KeySetOptions): Promise<RemoteJWKSet> {
  const jose = await import("jose")
  const { maxAgeMs, pauseMs } = options.times
  const keys = new KeySetSource(options)
  return jose.createRemoteJWKSet(new URL("https://keys.invalid/"), {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: pauseMs,
    [jose.customFetch]: (_url, { signal }) => keys.answer(signal),
  })
}

class KeySetSource {
  readonly #options: KeySetOptions
  #text: string | undefined
  #textAt = 0
  #failedAt = -Infinity

  constructor(options: KeySetOptions) {
    this.#options = options
  }

  async answer(signal: AbortSignal): Promise<Response> {
    const { now, times, warn } = this.#options
    if (now() - this.#failedAt < times.pauseMs) return this.#last()
    try {
      this.#text = await load(this.#options.source, signal)
      this.#textAt = now()
      return asJson(this.#text)
    } catch (fault) {
      this.#failedAt = now()
      warn(`server.auth.jwks cannot be loaded: ${fault instanceof Error ? fault.message : String(fault)}`)
      return this.#last()
    }
  }

  #last(): Response {
    const { now, times } = this.#options
    const isStale = now() - this.#textAt > times.staleMs
    return this.#text === undefined || isStale ? new Response("", { status: 503 }) : asJson(this.#text)
  }
}

/** Throws for anything but a key set, so that it does not replace the last one. */
async function load(source: string, signal: AbortSignal): Promise<string> {
  const text = isAddress(source) ? await fetched(source, signal) : await readFile(source, { encoding: "utf8", signal })
  if (!isKeySet(JSON.parse(text))) throw new Error("it is not a JSON Web Key Set")
  return text
}

async function fetched(source: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(source, { signal, redirect: "error", headers: { accept: "application/json" } })
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`)
  const text = await response.text()
  if (text.length > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
  return text
}

function isKeySet(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("keys" in value) || !Array.isArray(value.keys)) return false
  return value.keys.every((key: unknown) => typeof key === "object" && key !== null)
}

export function isAddress(source: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source)
}

function asJson(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } })
}
