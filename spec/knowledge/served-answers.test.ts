// The treatment of four kinds of answers over the WebSocket API of the program, with an embedding provider that is down.
import { expect, it } from "vitest"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { runTurn } from "../ws/conversation.ts"
import { newPlace } from "../e2e/turnhouse.ts"

const fact = "You can send back what you bought within 30 days of delivery."
const question = "Within how many days can I send back what I bought?"

const turns = [
  { asked: question, text: `The rules say: “You can send back what you bought within 30 days”.` },
  { asked: question, text: `The rules say: “you can send back everything within one year”.` },
  { asked: question, text: "30 days" },
  { asked: "Hello, how are you?", text: "Hello! I like turtles." },
]

it("a right quotation, a wrong one, a fact and small talk are each treated in their own way", async (test) => {
  const place = newPlace(test)
  place.config({
    model: place.script(turns.map(({ text }) => [{ text }])),
    providers: { down: { type: "openai-compatible", baseURL: "http://127.0.0.1:2/v1", apiKey: "k" } },
    knowledge: { embeddings: "down/embed" },
  })
  place.write("returns.md", `# Returns\n\n${fact}\n`)
  const added = await place.run("knowledge", "add", "returns.md", "--org", "public")
  expect(added).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^1 added[^]+found by words only: .*127\.0\.0\.1/),
  })

  const server = place.start(["serve", "--port", "0"])
  const url = await server.until("an address", () => /^listening on http:(\S+)$/m.exec(server.stdout)?.[1])
  const client = await WsClient.open(`ws:${url}/ws`)
  const { sessionId } = await client.create()
  const seen = []
  for (const [at, { asked }] of turns.entries()) {
    const end = await runTurn(client, sessionId, `${asked}${" ".repeat(at)}`)
    if (end.type !== "eventual_response") throw new Error(JSON.stringify(end))
    const { citations, response } = end.data.data
    seen.push({ parts: response.responseParts, cited: citations?.map(({ id, snippet }) => `${id}: ${snippet}`) })
  }
  const [right, wrong, unquoted, talk] = turns.map(({ text }) => text)
  const note = "Note: not found in the documents used for this answer: “you can send back everything within one year”."
  expect(seen).toEqual([
    { parts: [right], cited: [`returns.md: ${fact}`] },
    { parts: [wrong, note], cited: undefined },
    { parts: [unquoted], cited: [`returns.md: ${fact}`] },
    { parts: [talk], cited: undefined },
  ])
  server.signal("SIGTERM")
  const { stderr } = await server.ended
  expect(stderr.match(/documents are searched by words only/g)).toHaveLength(1)
})
