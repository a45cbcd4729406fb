// A provider with a list of models, and a catalogue in the format of models.dev, at one address.
import { createServer } from "node:http"
import { once } from "node:events"

export async function startCatalogueServer() {
  const keys: unknown[] = []
  const server = createServer((request, response) => {
    if (request.url === "/api.json") return response.end(JSON.stringify(catalogue))
    keys.push(request.headers["x-api-key"])
    return response.end(JSON.stringify({ data: list }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    /** What the provider was given as a key, in order. */
    keys,
    close: async () => {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    },
  }
}

const list = [
  { id: "claude-tomorrow", display_name: "Claude Tomorrow", max_input_tokens: 700_000 },
  { id: "claude-later", max_input_tokens: 500_000 },
]

const catalogue = {
  anthropic: {
    models: {
      "claude-tomorrow": {
        name: "Claude Tomorrow",
        reasoning: false,
        tool_call: true,
        modalities: { input: ["text", "image"], output: ["text"] },
        limit: { context: 600_000, output: 32_000 },
        cost: { input: 3, output: 9 },
      },
    },
  },
}
