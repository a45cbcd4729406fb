// An embedding provider that fails in every way: a search uses words alone, says so once, and does not wait for it again.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryIndex, type TemporaryIndex } from "../../src/knowledge/fixtures/temporary-index.ts"
import { SearchClient, type SearchClientOptions } from "../../src/knowledge/search/search-client.ts"
import { ProviderEmbedder } from "../../src/models/embedding.ts"

type Answer = (texts: readonly string[], response: ServerResponse) => void

let index: TemporaryIndex
let server: Server
let answer: Answer
let requests: number
const clients: SearchClient[] = []

beforeEach(async () => {
  index = temporaryIndex()
  requests = 0
  answer = withVectors(() => [1, 0, 0, 0])
  server = createServer((request, response) => void received(request, response))
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  index.delete()
})

async function received(request: IncomingMessage, response: ServerResponse): Promise<void> {
  requests += 1
  const { input } = JSON.parse(Buffer.concat(await request.toArray()).toString())
  answer(input, response)
}

/** As OpenAI answers. */
function withVectors(vectorOf: (text: string) => unknown): Answer {
  return (texts, response) => {
    const data = texts.map((text, at) => ({ object: "embedding", index: at, embedding: vectorOf(text) }))
    response.setHeader("content-type", "application/json").end(JSON.stringify({ object: "list", data, model: "m" }))
  }
}

function embedder(): ProviderEmbedder {
  const address = server.address()
  const baseURL = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`
  const providers = { own: { type: "openai-compatible", baseURL, apiKey: "k" } } as const
  return new ProviderEmbedder("own/embed", { config: { providers }, env: {}, redact: (text) => text })
}

function searching(options: Partial<SearchClientOptions> = {}) {
  const reasons: string[] = []
  const onWordsOnly = (reason: string) => reasons.push(reason)
  const client = new SearchClient({ path: index.path, embedder: embedder(), onWordsOnly, ...options })
  clients.push(client)
  const find = async (text: string) => {
    const found = await client.search({ text, limit: 5, rights: { org: "local", groups: [] }, sets: [] })
    return found.map(({ id }) => id)
  }
  return { client, reasons, find }
}

const silent: Answer = () => {}
const raw =
  (text: string): Answer =>
  (_texts, response) =>
    response.setHeader("content-type", "application/json").end(text)

describe("a search by words", () => {
  it.for<readonly [string, Answer, RegExp]>([
    ["fails with 500", (_, response) => response.writeHead(500).end("no"), /is failing \(500\)/],
    ["closes the connection", (_, response) => response.destroy(), /./],
    ["never answers", silent, /did not answer within 0\.2 seconds/],
    ["gives no JSON", raw("<html>"), /./],
    ["gives no vectors", raw('{"object":"list","data":[],"model":"m"}'), /gave 0 vectors for 1 text/],
    ["gives values that are not numbers", raw('{"data":[{"index":0,"embedding":[1e39,1,0,0]}]}'), /not numbers/],
    ["gives an empty vector", withVectors(() => []), /different lengths/],
    ["gives vectors of another length", withVectors(() => [1, 0]), /2 numbers; those of the index have 4/],
  ])("is what is left when the provider %s, which is said once", async ([, failing, reason]) => {
    await index.put({ name: "money.md", text: "The refund comes soon." })
    await index.embed(embedder())
    const before = requests
    answer = failing
    const { reasons, find } = searching({ questionMs: failing === silent ? 200 : 60_000 })
    for (let round = 0; round < 3; round++) expect(await find("when is the refund?")).toEqual(["money.md"])
    expect(reasons).toEqual([expect.stringMatching(reason)])
    expect(requests - before).toBeLessThanOrEqual(1) // it is not asked again at once
  })

  it("is what is left when nothing listens, which is said once", async () => {
    await index.put({ name: "money.md", text: "The refund comes soon." })
    await index.embed(embedder())
    const { reasons, find } = searching()
    await new Promise((closed) => server.close(closed))
    for (let round = 0; round < 2; round++) expect(await find("the refund")).toEqual(["money.md"])
    expect(reasons).toEqual([expect.stringContaining("127.0.0.1")])
  })
})

describe("vectors of another length than those of the index", () => {
  it("replace them in the background of a host, or with the next passages", async () => {
    await index.put({ name: "money.md", text: "The refund comes soon." })
    await index.embed(embedder())
    answer = withVectors(() => [0, 1])
    const { client, find } = searching({ onEmbeddingFailed: () => {}, pauseMs: 0 })
    await find("cash")
    await client.embedded()
    expect(await find("cash")).toEqual(["money.md"])
    answer = withVectors(() => [0, 0, 1])
    await index.put({ name: "late.md", text: "More about it." })
    await index.embed(embedder())
    expect((await find("cash")).toSorted()).toEqual(["late.md", "money.md"])
  })

  it("are refused where one run gets both", async () => {
    await index.put(...Array.from({ length: 20 }, (_, at) => ({ name: `${at}.md`, text: `Word ${at}` })))
    let calls = 0
    answer = (texts, response) => withVectors(() => ((calls += 1) > 16 ? [1, 0] : [1, 0, 0]))(texts, response)
    await expect(index.embed(embedder())).rejects.toThrow("own/embed gives vectors of 2 numbers and of 3")
  })
})
