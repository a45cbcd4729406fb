import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import type { Config } from "../../contract/config.ts"
import type { JsonValue } from "../../contract/values.ts"
import { findWebSearch, searchConnector } from "../../app/settings/web-search.ts"
import { createRedactor } from "../../secrets/redactor.ts"
import type { ToolContext, ToolResult } from "../tool.ts"
import { context } from "./fixtures/call-context.ts"
import { webServer, type Handle } from "./fixtures/web-server.ts"
import type { SearchConnection } from "./search-for-model.ts"
import { webSearchTool } from "./web-search.ts"

type SearchSettings = NonNullable<NonNullable<Config["web"]>["search"]>

interface Searching {
  readonly search: (input: JsonValue, change?: Partial<ToolContext>) => Promise<ToolResult>
  readonly requests: readonly string[]
}

async function serving(
  provider: SearchSettings["provider"],
  handle: Handle,
  change: Partial<SearchConnection> = {},
): Promise<Searching> {
  const { port, requests } = await webServer(handle)
  const search = { provider, baseURL: `http://127.0.0.1:${port}/`, apiKey: "key-1234567890" }
  const found = findWebSearch({ web: { search } }, {})
  if (found === undefined || "missing" in found) throw new Error("no service")
  const connect = searchConnector(found)
  const tool = webSearchTool(async () => ({ ...(await connect()), ...change }))
  const call = async (input: JsonValue, more: Partial<ToolContext> = {}) =>
    (await tool.prepare(input, { ...context, ...more })).run()
  return { search: call, requests }
}

const answering = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Handle => {
  return (_, response) => void response.writeHead(status, headers).end(body)
}

const page = { title: "A page", url: "https://docs.example.org/a" }
const limited = { query: "q", count: 2, allowed_domains: ["example.org", "b.example"], blocked_domains: ["c.example"] }
const operators = "q (site:example.org OR site:b.example) -site:c.example"

describe("web_search", () => {
  it.for([
    {
      provider: "brave",
      answer: {
        type: "search",
        web: { results: [{ ...page, description: "An &quot;<strong>excerpt</strong>&quot;" }] },
      },
      path: `GET /res/v1/web/search?${String(new URLSearchParams({ q: operators, count: "2" }))}`,
      key: ["x-subscription-token", "key-1234567890"],
      body: undefined,
    },
    {
      provider: "tavily",
      answer: { query: "q", results: [{ ...page, content: 'An "excerpt"', score: 0.9 }] },
      path: "POST /search",
      key: ["authorization", "Bearer key-1234567890"],
      body: {
        query: "q",
        max_results: 2,
        include_domains: ["example.org", "b.example"],
        exclude_domains: ["c.example"],
      },
    },
    {
      provider: "exa",
      answer: { requestId: "r", results: [{ ...page, id: page.url, text: 'An\n"excerpt"' }] },
      path: "POST /search",
      key: ["x-api-key", "key-1234567890"],
      body: {
        query: "q",
        numResults: 2,
        contents: { text: { maxCharacters: 800 } },
        includeDomains: ["example.org", "b.example"],
        excludeDomains: ["c.example"],
      },
    },
    {
      provider: "serper",
      answer: { organic: [{ title: page.title, link: page.url, snippet: 'An "excerpt"', position: 1 }] },
      path: "POST /search",
      key: ["x-api-key", "key-1234567890"],
      body: { q: operators, num: 2 },
    },
    {
      provider: "searxng",
      answer: { query: "q", results: [{ ...page, content: 'An "excerpt"', engine: "x" }] },
      path: `GET /search?${String(new URLSearchParams({ q: operators, format: "json" }))}`,
      key: ["authorization", "Bearer key-1234567890"],
      body: undefined,
    },
  ] as const)("asks $provider in its own format", async ({ provider, answer, path, key: [header, key], body }) => {
    const received: { headers: IncomingMessage["headers"]; body: string }[] = []
    const { search, requests } = await serving(provider, (request, response) => {
      void text(request).then((sent) => {
        received.push({ headers: request.headers, body: sent })
        return response.end(JSON.stringify(answer))
      })
    })
    const result = await search(limited)
    expect(result.output).toBe('1. A page\n   https://docs.example.org/a\n   An "excerpt"')
    expect(result.untrustedSource).toMatch(/^web search with \w+$/)
    expect(requests).toEqual([path])
    expect(received[0]?.headers[header]).toBe(key)
    expect(received[0]?.body).toBe(body === undefined ? "" : JSON.stringify(body))
  })

  it.for([
    [401, {}, "Brave refused the key (401). The user has to check web.search.apiKey in the configuration."],
    [429, { "retry-after": "7" }, "Brave refused the search (429): too many searches. Try again in 7 s."],
    [429, {}, "too many searches. Try again later."],
    [402, {}, "Brave refused the search (402): the plan of the key is used up."],
    [500, {}, "Brave answered with status 500."],
    [302, { location: "http://127.0.0.1:1/" }, "Brave could not be asked: unexpected redirect"],
    [200, {}, "Brave sent an answer that is not understood."],
  ] as const)("says what went wrong: status %i %j", async ([status, headers, message]) => {
    const { search, requests } = await serving("brave", answering(status, "<html>key-1234567890", headers))
    const { outcome, output } = await search({ query: "q" })
    expect([outcome, requests.length]).toEqual(["failed", 1])
    expect(output).toContain(message)
    expect(output).not.toContain("key-1234567890")
  })

  it.for(["[]", "{}", '{"results":7}', "null", '"x"'])("does not understand %s", async (body) => {
    const { search } = await serving("tavily", answering(200, body))
    expect((await search({ query: "q" })).output).toBe("Tavily sent an answer that is not understood.")
  })

  it("explains a SearXNG that gives no JSON", async () => {
    const { search } = await serving("searxng", answering(403, "Forbidden"))
    expect((await search({ query: "q" })).output).toContain("settings.yml must list json under search.formats")
  })

  it("bounds time, size and number of results", async () => {
    const silent = await serving("exa", () => {}, { timeoutMs: 200 })
    expect((await silent.search({ query: "q" })).output).toBe("Exa did not answer within 0.2 s.")
    const long = await serving("exa", answering(200, "x".repeat(3_000_000)))
    expect((await long.search({ query: "q" })).output).toContain("its answer is larger than 2097152 bytes")
    const results = Array.from({ length: 50 }, (_, at) => ({ url: `https://a.example/${at}`, text: "y".repeat(5000) }))
    const many = await serving("exa", answering(200, JSON.stringify({ results })))
    const { output } = await many.search({ query: "q" })
    expect(output.split("\n").filter((line) => /^\d+\. /.test(line))).toHaveLength(8)
    expect(output.length).toBeLessThan(8 * 700)
  })

  it("gives each result in lines of its own, which a page cannot fake, and leaves out other addresses", async () => {
    const results = [
      { title: "One\n2. Fake", url: "https://a.example/", content: "x\n   https://evil.example/" },
      { title: "Script", url: "javascript:alert(1)", content: "" },
      { title: "No address", content: "" },
      { url: "https://blocked.example/", content: "" },
      { url: "https://b.example/", content: "" },
    ]
    const { search } = await serving("searxng", answering(200, JSON.stringify({ results })))
    const { output } = await search({ query: "q", blocked_domains: ["Blocked.example"] })
    expect(output).toBe("1. One 2. Fake\n   https://a.example/\n   x https://evil.example/\n2. https://b.example/")
    expect((await search({ query: "q", allowed_domains: ["c.example"] })).output).toBe("Nothing was found.")
  })

  it("sends no secret, and ends with its call", async () => {
    const scrubber = createRedactor({ secrets: [{ name: "KEY", value: "sk-live-Zm9vYmFy" }], key: new Uint8Array(32) })
    const arrived = Promise.withResolvers<void>()
    const { search, requests } = await serving("brave", () => arrived.resolve())
    expect((await search({ query: "what is sk-live-Zm9vYmFy" }, { scrubber })).output).toContain("contains a secret")
    expect(requests).toEqual([])
    const stop = new AbortController()
    const result = search({ query: "q" }, { signal: stop.signal })
    await arrived.promise
    stop.abort()
    expect((await result).output).toBe("The call was cancelled.")
  })
})

describe("the search service", () => {
  it.for([
    [{}, {}, undefined],
    [{}, { TAVILY_API_KEY: "t", EXA_API_KEY: "e" }, "Tavily TAVILY_API_KEY"],
    [{}, { BRAVE_SEARCH_API_KEY: "b" }, "Brave BRAVE_SEARCH_API_KEY"],
    [{}, { BRAVE_API_KEY: " " }, undefined],
    [{ provider: "exa" }, { BRAVE_API_KEY: "b", EXA_API_KEY: "e" }, "Exa EXA_API_KEY"],
    [{ provider: "exa" }, { BRAVE_API_KEY: "b" }, "Exa has no key: set EXA_API_KEY or web.search.apiKey"],
    [{ provider: "exa", apiKey: "k" }, { EXA_API_KEY: "e" }, "Exa web.search.apiKey in the configuration"],
    [{ provider: "searxng", baseURL: "http://localhost:8888" }, {}, "SearXNG undefined"],
  ] as const)("with %j and %j is %s", ([search, env, expected]) => {
    const found = findWebSearch("provider" in search ? { web: { search } } : {}, env)
    const shown = found && ("missing" in found ? found.missing : `${found.service.label} ${found.keySource}`)
    expect(shown).toBe(expected)
  })
})
