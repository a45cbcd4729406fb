// The search services that web_search can use: how each is asked, and where its answer has the results. Pure.
import { memberIn, textIn, type JsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"

export interface SearchQuery {
  readonly text: string
  readonly count: number
  /** Host names; subdomains are included. */
  readonly allowed: readonly string[]
  readonly blocked: readonly string[]
}

export interface SearchRequest {
  readonly path: string
  /** In the address; otherwise `body` is sent as JSON. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly body?: JsonObject
}

export interface SearchHit {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

export interface SearchService {
  readonly label: string
  /** Environment variables that may hold the key. */
  readonly variables: readonly string[]
  /** Undefined if it has no address of its own. */
  readonly baseURL: string | undefined
  readonly needsKey: boolean
  readonly keyHeader: (key: string) => readonly [name: string, value: string]
  readonly request: (query: SearchQuery) => SearchRequest
  /** Undefined if the answer has another form. */
  readonly hits: (answer: JsonValue) => readonly SearchHit[] | undefined
  /** What a refusal with 403 means, if not a wrong key. */
  readonly forbidden?: string
}

/** Characters of a page that Exa returns for each result. */
const EXA_TEXT = 800

export const searchServices = {
  brave: {
    label: "Brave",
    variables: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
    baseURL: "https://api.search.brave.com",
    needsKey: true,
    keyHeader: (key) => ["x-subscription-token", key],
    request: (query) => ({
      path: "/res/v1/web/search",
      parameters: { q: withSites(query), count: String(query.count) },
    }),
    hits: (answer) => braveHits(answer),
  },
  tavily: {
    label: "Tavily",
    variables: ["TAVILY_API_KEY"],
    baseURL: "https://api.tavily.com",
    needsKey: true,
    keyHeader: bearer,
    request: ({ text, count, allowed, blocked }) => ({
      path: "/search",
      body: {
        query: text,
        max_results: count,
        ...(allowed.length === 0 ? {} : { include_domains: allowed }),
        ...(blocked.length === 0 ? {} : { exclude_domains: blocked }),
      },
    }),
    hits: (answer) => hitsIn(answer, "results", { url: "url", snippet: "content" }),
  },
  exa: {
    label: "Exa",
    variables: ["EXA_API_KEY"],
    baseURL: "https://api.exa.ai",
    needsKey: true,
    keyHeader: (key) => ["x-api-key", key],
    request: ({ text, count, allowed, blocked }) => ({
      path: "/search",
      body: {
        query: text,
        numResults: count,
        contents: { text: { maxCharacters: EXA_TEXT } },
        ...(allowed.length === 0 ? {} : { includeDomains: allowed }),
        ...(blocked.length === 0 ? {} : { excludeDomains: blocked }),
      },
    }),
    hits: (answer) => hitsIn(answer, "results", { url: "url", snippet: "text" }),
  },
  serper: {
    label: "Serper",
    variables: ["SERPER_API_KEY"],
    baseURL: "https://google.serper.dev",
    needsKey: true,
    keyHeader: (key) => ["x-api-key", key],
    request: (query) => ({ path: "/search", body: { q: withSites(query), num: query.count } }),
    hits: (answer) => hitsIn(answer, "organic", { url: "link", snippet: "snippet" }),
  },
  searxng: {
    label: "SearXNG",
    variables: [],
    baseURL: undefined,
    needsKey: false,
    keyHeader: bearer,
    request: (query) => ({ path: "/search", parameters: { q: withSites(query), format: "json" } }),
    hits: (answer) => hitsIn(answer, "results", { url: "url", snippet: "content" }),
    forbidden: "its settings.yml must list json under search.formats",
  },
} as const satisfies Record<string, SearchService>

export type SearchServiceName = keyof typeof searchServices

function bearer(key: string): readonly [string, string] {
  return ["authorization", `Bearer ${key}`]
}

/** With operators that search engines know. */
function withSites({ text, allowed, blocked }: SearchQuery): string {
  const only = allowed.map((host) => `site:${host}`).join(" OR ")
  const without = blocked.map((host) => `-site:${host}`)
  return [text, ...(only === "" ? [] : [allowed.length > 1 ? `(${only})` : only]), ...without].join(" ")
}

interface Fields {
  readonly url: string
  readonly snippet: string
}

/** An answer of Brave without pages lacks the field for them. */
function braveHits(answer: JsonValue): readonly SearchHit[] | undefined {
  const web = memberIn(answer, "web")
  if (web !== undefined) return hitsIn(web, "results", { url: "url", snippet: "description" })
  return textIn(answer, "type") === "search" ? [] : undefined
}

function hitsIn(answer: JsonValue, list: string, fields: Fields): readonly SearchHit[] | undefined {
  const found = memberIn(answer, list)
  if (!Array.isArray(found)) return undefined
  return found.flatMap((item: JsonValue) => {
    const url = textIn(item, fields.url)
    if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return []
    return [{ url, title: textIn(item, "title") ?? "", snippet: textIn(item, fields.snippet) ?? "" }]
  })
}
