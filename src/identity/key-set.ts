// Published keys (JWKS) of whoever issues tokens, from an address or a file. They are kept for a while; a token with a
// key that is not known asks for them anew, but not more often than the pause allows, whatever is thrown at the server.
// When they cannot be had the ones that were there last still count for an hour.
import { readFile } from "node:fs/promises"
import type { RemoteJWKSet } from "jose"

export interface KeySetTimes {
  /** Keys older than this are asked for anew. */
  readonly keepMs: number
  /** After an answer, and after none, nobody is asked for this time. */
  readonly pauseMs: number
  /** How long keys count that cannot be renewed. */
  readonly staleMs: number
}

export const keySetTimes: KeySetTimes = { keepMs: 600_000, pauseMs: 30_000, staleMs: 3_600_000 }

const largestSet = 1024 * 1024

export interface KeySetOptions {
  readonly source: string
  readonly times: KeySetTimes
  readonly now: () => number
  readonly warn: (sentence: string) => void
}

export async function openKeySet(options: KeySetOptions): Promise<RemoteJWKSet> {
  const jose = await import("jose")
  const { keepMs, pauseMs } = options.times
  const keys = new Fetched(options)
  return jose.createRemoteJWKSet(new URL("https://keys.invalid/"), {
    cacheMaxAge: keepMs,
    cooldownDuration: pauseMs,
    [jose.customFetch]: (_url, { signal }) => keys.answer(signal),
  })
}

class Fetched {
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
      warn(`the keys of server.auth.jwks could not be had: ${fault instanceof Error ? fault.message : String(fault)}`)
      return this.#last()
    }
  }

  #last(): Response {
    const { now, times } = this.#options
    const isStale = now() - this.#textAt > times.staleMs
    return this.#text === undefined || isStale ? new Response("", { status: 503 }) : asJson(this.#text)
  }
}

/** What is no set of keys must not take the place of what is known, and counts as no answer. */
async function load(source: string, signal: AbortSignal): Promise<string> {
  const text = isAddress(source) ? await fetched(source, signal) : await readFile(source, { encoding: "utf8", signal })
  if (!isKeySet(JSON.parse(text))) throw new Error("there is no list of keys in it")
  return text
}

async function fetched(source: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(source, { signal, redirect: "error", headers: { accept: "application/json" } })
  if (!response.ok) throw new Error(`the answer was ${response.status}`)
  const text = await response.text()
  if (text.length > largestSet) throw new Error(`the answer is larger than ${largestSet} bytes`)
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
