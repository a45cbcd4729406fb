import { createServer, type Server } from "node:http"
import { afterEach, describe, expect, it } from "vitest"
import { ProviderEmbedder } from "./embedding.ts"

let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise((closed) => (server === undefined ? closed(undefined) : server.close(closed)))
  server = undefined
})

interface Asked {
  readonly model: string
  readonly input: readonly string[]
}

/** An OpenAI-compatible embeddings server, and its requests. */
async function serving(status = 200): Promise<{ readonly baseURL: string; readonly asked: Asked[] }> {
  const asked: Asked[] = []
  const made = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      const question: Asked = JSON.parse(body)
      asked.push(question)
      const data = question.input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 1, 0] }))
      response.writeHead(status, { "content-type": "application/json" })
      response.end(JSON.stringify(status === 200 ? { object: "list", data, model: "m" } : { error: { message: "no" } }))
    })
  })
  server = made
  await new Promise<void>((ready) => made.listen(0, "127.0.0.1", ready))
  const address = made.address()
  return { baseURL: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`, asked }
}

function embedder(name: string, baseURL = "http://127.0.0.1:9/v1"): ProviderEmbedder {
  const providers = { mine: { type: "openai-compatible", baseURL, apiKey: "k" } } as const
  return new ProviderEmbedder(name, { config: { providers }, env: {}, redact: (text) => text })
}

describe("a provider's embedding model", () => {
  it("returns a vector for each text and sends the server's name of the model", async () => {
    const { baseURL, asked } = await serving()
    const vectors = await embedder("mine/embed/small", baseURL).embed(["tea", "coffee"])
    expect(vectors).toEqual([new Float32Array([3, 1, 0]), new Float32Array([6, 1, 0])])
    expect(asked).toMatchObject([{ model: "embed/small", input: ["tea", "coffee"] }])
  })

  it("reports a refusal in one sentence", async () => {
    const { baseURL } = await serving(401)
    await expect(embedder("mine/small", baseURL).embed(["tea"])).rejects.toThrow("Provider mine refused the key")
  })

  it("reports an unknown provider, and one without embedding models, in one sentence", async () => {
    await expect(embedder("nobody/small").embed(["tea"])).rejects.toThrow('there is no provider for "nobody/small"')
    await expect(embedder("small").embed(["tea"])).rejects.toThrow('there is no provider for "small"')
    const anthropic = new ProviderEmbedder("anthropic/x", {
      config: {},
      env: { ANTHROPIC_API_KEY: "k" },
      redact: (text) => text,
    })
    await expect(anthropic.embed(["tea"])).rejects.toThrow("has no embedding models")
  })
})
