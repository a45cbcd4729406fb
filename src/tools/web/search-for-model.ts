// Asks a search service and gives its results to the model as a numbered list of untrusted text. Time and size of the
// answer are bounded.
import { messageOf } from "../../contract/faults.ts"
import { tryParseJson } from "../../contract/json-object.ts"
import { hostOf } from "../../contract/rules/web-address.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { WebSearchInput } from "../../contract/tool-inputs.ts"
import { cancelled, failed } from "../define-tool.ts"
import type { ToolContext, ToolResult } from "../tool.ts"
import type { SearchHit, SearchQuery, SearchRequest, SearchService } from "./search-services.ts"

export interface SearchConnection {
  readonly service: SearchService
  readonly baseURL: string
  /** Adds the key to a request. */
  readonly fetch: typeof globalThis.fetch
  /** Where the key comes from, for messages. */
  readonly keySource: string
  readonly timeoutMs?: number
}

/** A search that failed; its message is a sentence for the model. */
class SearchFault extends Error {
  override readonly name = "SearchFault"
}

const DEFAULT_COUNT = 8
const TIMEOUT_MS = 20_000
const MAX_BYTES = 2 * 1024 * 1024
const MAX_TITLE = 200
const MAX_ADDRESS = 1000
const MAX_SNIPPET = 600

export async function searchForModel(
  input: WebSearchInput,
  { scrubber, signal }: ToolContext,
  connection: SearchConnection,
): Promise<ToolResult> {
  if (scrubber !== undefined && scrubber.text(input.query) !== input.query)
    return failed("Nothing was searched: the query contains a secret of this machine, which must not be sent.")
  const query: SearchQuery = {
    text: input.query,
    count: input.count ?? DEFAULT_COUNT,
    allowed: input.allowed_domains ?? [],
    blocked: input.blocked_domains ?? [],
  }
  try {
    return resultOf(selected(await search(query, connection, signal), query), connection.service)
  } catch (fault) {
    if (signal.aborted) return cancelled
    if (fault instanceof SearchFault) return failed(fault.message)
    throw fault
  }
}

async function search(
  query: SearchQuery,
  connection: SearchConnection,
  signal: AbortSignal,
): Promise<readonly SearchHit[]> {
  const { service, timeoutMs = TIMEOUT_MS } = connection
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await send(service.request(query), connection, AbortSignal.any([signal, timeout]))
    if (!response.ok) throw new SearchFault(refusalOf(response, connection))
    const answer = tryParseJson(await boundedText(response))
    const hits = answer === undefined ? undefined : service.hits(answer)
    if (hits === undefined) throw new SearchFault(`${service.label} sent an answer that is not understood.`)
    return hits
  } catch (fault) {
    if (fault instanceof SearchFault) throw fault
    if (timeout.aborted) throw new SearchFault(`${service.label} did not answer within ${timeoutMs / 1000} s.`)
    const reason = messageOf(fault instanceof Error && fault.cause instanceof Error ? fault.cause : fault)
    throw new SearchFault(`${service.label} could not be asked: ${reason}`, { cause: fault })
  }
}

function send(
  { path, parameters, body }: SearchRequest,
  { baseURL, fetch }: SearchConnection,
  signal: AbortSignal,
): Promise<Response> {
  const url = new URL(`${baseURL.replace(/\/$/, "")}${path}`)
  for (const [name, value] of Object.entries(parameters ?? {})) url.searchParams.set(name, value)
  const headers = { accept: "application/json", "user-agent": "turnhouse" }
  const common = { signal, redirect: "error" } as const // a redirect would take the key along
  if (body === undefined) return fetch(url, { ...common, headers })
  const sent = { ...headers, "content-type": "application/json" }
  return fetch(url, { ...common, method: "POST", headers: sent, body: JSON.stringify(body) })
}

/** What the service says itself is not shown: it may repeat the key. */
function refusalOf({ status, headers }: Response, { service, keySource }: SearchConnection): string {
  const { label, forbidden } = service
  if (status === 403 && forbidden !== undefined) return `${label} refused the search (403): ${forbidden}.`
  if (status === 401 || status === 403)
    return `${label} refused the key (${status}). The user has to check ${keySource}.`
  const wait = /^\d{1,6}$/.exec(headers.get("retry-after") ?? "")?.[0]
  if (status === 429)
    return `${label} refused the search (429): too many searches. ${wait === undefined ? "Try again later." : `Try again in ${wait} s.`}`
  if (status === 402 || status === 432 || status === 433)
    return `${label} refused the search (${status}): the plan of the key is used up.`
  return `${label} answered with status ${status}.`
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > MAX_BYTES) throw new Error(`its answer is larger than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Not all services and engines respect the lists of hosts. */
function selected(hits: readonly SearchHit[], { count, allowed, blocked }: SearchQuery): readonly SearchHit[] {
  const fitting = hits.filter((hit) => (allowed.length === 0 || isIn(allowed, hit)) && !isIn(blocked, hit))
  return fitting.slice(0, count)
}

function isIn(hosts: readonly string[], { url }: SearchHit): boolean {
  const host = hostOf(url) ?? ""
  return hosts.some((name) => host === name.toLowerCase() || host.endsWith(`.${name.toLowerCase()}`))
}

function resultOf(hits: readonly SearchHit[], { label }: SearchService): ToolResult {
  if (hits.length === 0) return { outcome: "done", output: "Nothing was found." }
  const details = { results: hits.map(({ title, url }) => ({ title: plain(title, MAX_TITLE), url: shown(url) })) }
  const output = hits.map((hit, index) => `${index + 1}. ${lines(hit).join("\n   ")}`).join("\n")
  return { outcome: "done", output, details, untrustedSource: `web search with ${label}` }
}

/** Each in one line, so that a result cannot fake another one. */
function lines({ title, url, snippet }: SearchHit): readonly string[] {
  const name = plain(title, MAX_TITLE)
  const text = plain(snippet, MAX_SNIPPET)
  return [...(name === "" ? [] : [name]), shown(url), ...(text === "" ? [] : [text])]
}

function shown(url: string): string {
  return oneLine(URL.parse(url)?.href ?? "", MAX_ADDRESS)
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" }

/** Some services mark the words that were found with HTML. */
function plain(text: string, length: number): string {
  const words = text
    .slice(0, 10 * length)
    .replaceAll(/<\/?(?:strong|b|em|i|mark)>/g, "")
    .replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (whole, name: string) => entities[name] ?? whole)
  return oneLine(words, length)
}
