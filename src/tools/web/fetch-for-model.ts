// Fetches a page for the model as text, or as an image. The page is untrusted text. Only public addresses and those that
// the user's configuration lists are fetched; a redirect to another host is reported, because approvals are by host.
import { systemCode } from "../../contract/faults.ts"
import { isHighSurrogate, shortened } from "../../contract/text/text.ts"
import type { WebFetchInput } from "../../contract/tool-inputs.ts"
import { checkedUrl, FetchFault } from "../../knowledge/fetch/checked-url.ts"
import { fetchPage, type FetchedPage, type FetchOptions } from "../../knowledge/fetch/fetch-page.ts"
import { cancelled, failed } from "../define-tool.ts"
import type { ToolContext, ToolResult } from "../tool.ts"
import { allowedAddress } from "./allowed-address.ts"
import { PageCache } from "./page-cache.ts"
import { pageContent } from "./page-content.ts"

export interface WebFetchOptions {
  /** Hosts that are fetched although their address is not public. */
  readonly allowPrivate: readonly string[]
  /** For tests. */
  readonly fetch?: Pick<FetchOptions, "resolve" | "milliseconds" | "maxBytes">
}

/** A page as text, scrubbed. */
interface ReadPage {
  readonly address: string
  readonly status: number
  readonly title: string
  readonly text: string
}

const MAX_BYTES = 10 * 1024 * 1024
const TIMEOUT_MS = 30_000
const DEFAULT_LENGTH = 20_000
/** Characters of a page with an error status that are shown. */
const MAX_ERROR_LENGTH = 4000
const MAX_SOURCE_LENGTH = 300
/** Some sites have their pages as Markdown for those who prefer it. */
const ACCEPT = "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/pdf;q=0.8, */*;q=0.5"

export type FetchForModel = (input: WebFetchInput, context: ToolContext) => Promise<ToolResult>

export function fetchForModel({ allowPrivate, fetch = {} }: WebFetchOptions): FetchForModel {
  const options: FetchOptions = {
    maxBytes: MAX_BYTES,
    milliseconds: TIMEOUT_MS,
    ...fetch,
    isAllowed: allowedAddress(allowPrivate),
    accept: ACCEPT,
    follows: isSameHost,
    readsErrors: true,
  }
  const cache = new PageCache<ReadPage>()
  return (input, context) => run(input, context, options, cache)
}

async function run(
  input: WebFetchInput,
  context: ToolContext,
  options: FetchOptions,
  cache: PageCache<ReadPage>,
): Promise<ToolResult> {
  const { scrubber, sessionId, signal } = context
  const { href } = checkedUrl(input.url)
  if (scrubber !== undefined && [input.url, href].some((text) => scrubber.text(text) !== text))
    return failed("Nothing was fetched: the address contains a secret of this machine, which must not be sent.")
  const key = `${sessionId} ${href}`
  const kept = input.offset === undefined || input.offset === 0 ? undefined : cache.get(key)
  if (kept !== undefined) return partResult(kept, input)
  try {
    const page = await fetchPage(href, { ...options, signal })
    if (page.redirectsTo !== undefined) return redirectResult(page, page.redirectsTo)
    return await pageResult(page, input, context, (read) => cache.put(key, read))
  } catch (fault) {
    if (signal.aborted) return cancelled
    if (fault instanceof FetchFault) return failed(`${shown(href)} could not be fetched: ${reasonOf(fault)}.`)
    throw fault
  }
}

/** Approvals and rules are about a host. A step from http to https of the same host is followed. */
function isSameHost(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === ""
  return from.hostname === to.hostname && (from.origin === to.origin || isUpgrade)
}

function reasonOf({ message, cause }: FetchFault): string {
  const code = systemCode(cause)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `its host was not found (${code})`
  if (code === "ECONNREFUSED") return `the connection was refused (${code})`
  const isPrivate = message.endsWith("is not a public address")
  return isPrivate ? `${message}; web.allowPrivate in the user's configuration could list it` : message
}

function redirectResult({ url, status }: FetchedPage, to: URL): ToolResult {
  return {
    outcome: "done",
    output: `${shown(url.href)} redirects to another host (${status}), which was not followed. To fetch that page, call web_fetch with its address: ${to.href}`,
    details: { url: url.href, status, redirectsTo: to.href },
    untrustedSource: sourceOf(url.href),
  }
}

async function pageResult(
  page: FetchedPage,
  input: WebFetchInput,
  { scrubber, signal }: ToolContext,
  keep: (page: ReadPage) => void,
): Promise<ToolResult> {
  const content = await pageContent(page, signal)
  if (signal.aborted) return cancelled
  const { href: address } = page.url
  const untrustedSource = sourceOf(address)
  const details = { url: address, status: page.status, bytes: page.body.length }
  if (content.kind === "no")
    return { ...failed(`${shown(address)} cannot be shown: ${content.reason}.`, details), untrustedSource }
  if (content.kind === "image" && page.status === 200)
    return {
      outcome: "done",
      output: `${shown(address)}: ${content.description}.`,
      images: [content.image],
      details,
      untrustedSource,
    }
  const { title = "", text = "" } = content.kind === "text" ? content : {}
  const scrub = (whole: string) => scrubber?.text(whole) ?? whole
  const read: ReadPage = { address, status: page.status, title: scrub(title), text: scrub(text) }
  if (page.status === 200) keep(read)
  return partResult(read, page.status === 200 ? input : { url: address, limit: MAX_ERROR_LENGTH })
}

function partResult({ address, status, title, text }: ReadPage, input: WebFetchInput): ToolResult {
  const { offset = 0, limit = DEFAULT_LENGTH } = input
  const untrustedSource = sourceOf(address)
  const details = { url: address, status, characters: text.length, from: offset }
  if (offset > 0 && offset >= text.length)
    return failed(
      `The text of ${shown(address)} has ${text.length} characters; offset ${offset} is past its end.`,
      details,
    )
  const end = endOfPart(text, offset, limit)
  const header = [
    `Page: ${shown(address)}`,
    ...(title === "" ? [] : [`Title: ${title}`]),
    ...(status === 200 ? [] : [`The server answered with status ${status}.`]),
  ]
  const isWhole = offset === 0 && end === text.length
  const more = end < text.length ? `Continue with offset ${end}.` : "This is the end."
  const notice = isWhole ? [] : [`[Characters ${offset} to ${end} of ${text.length}. ${more}]`]
  const output = [...header, "", text.slice(offset, end).toWellFormed().trimEnd(), ...notice].join("\n")
  return { outcome: status === 200 ? "done" : "failed", output, details: { ...details, to: end }, untrustedSource }
}

/** Share of a part that may be left out so that it ends with a line. */
const LINE_SHARE = 0.2

function endOfPart(text: string, offset: number, limit: number): number {
  const end = offset + limit
  if (end >= text.length) return text.length
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1
  if (lineEnd > end - limit * LINE_SHARE) return lineEnd
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

function shown(address: string): string {
  return shortened(address, MAX_SOURCE_LENGTH)
}

function sourceOf(address: string): string {
  return `web page ${shown(address)}`
}
