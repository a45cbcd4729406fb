// Thinking levels in a whole host, against look-alike servers of the providers.
import { expect, it, type TestContext } from "vitest"
import type { Config } from "../src/contract/config.ts"
import type { ThinkingLevel } from "../src/contract/values.ts"
import type { SessionHandle } from "../src/contract/host-port.ts"
import type { ProviderServer } from "./provider-server/server.ts"
import type { Reply } from "./provider-server/script.ts"
import { eventIn, prompted, World } from "./settings/world.ts"

type ProviderType = NonNullable<Config["providers"]>[string]["type"]

async function world(test: TestContext, type: ProviderType, model: string, ...replies: readonly Reply[]) {
  const place = new World(test)
  const server = await place.provider(...replies)
  const providers = { mine: { type, apiKey: "key-1234567890", baseURL: `${server.url}/v1` } }
  return { place, server, config: { model: `mine/${model}`, providers } satisfies Config }
}

function bodies({ requests }: ProviderServer): readonly Readonly<Record<string, unknown>>[] {
  return requests.map(({ body }) => body)
}

async function warningsOf(handle: SessionHandle): Promise<string[]> {
  const messages: string[] = []
  const stop = await handle.watch(0, (item) => {
    if (item.kind === "delta" && item.delta.type === "host.warned") messages.push(item.delta.message)
  })
  stop()
  return messages
}

it("sends the signed thoughts of a step back to Anthropic with the results of its tools", async (test) => {
  const thought = { thinking: "Look first.", signature: "sealed==" }
  const { place, server, config } = await world(
    test,
    "anthropic",
    "claude-sonnet-4-5",
    { blocks: [thought, { tool: "ls", input: {} }] },
    {
      blocks: [{ thinking: "Now I know.", signature: "sealed-too==" }, { text: "Empty." }],
      when: '"signature":"sealed=="',
    },
  )
  const events = await place.turn({ ...config, thinking: "high" })
  expect(eventIn(events, "turn.ended").reason).toBe("done")
  const [first, second] = bodies(server)
  expect(first).toMatchObject({ max_tokens: 52_000, thinking: { type: "enabled", budget_tokens: 20_000 } })
  const { messages } = { messages: [], ...second }
  expect(messages).toContainEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Look first.", signature: "sealed==" },
      expect.objectContaining({ type: "tool_use", name: "ls" }),
    ],
  })
})

it("calls a server that refuses the level again without it, and says so once", async (test) => {
  const refused = { status: 400, error: { message: "Unknown parameter: reasoning_effort" } }
  const { place, server, config } = await world(test, "openai-compatible", "plain", refused)
  const handle = await place.session({ ...config, thinking: "high" })
  for (const text of ["one", "two"]) expect(eventIn(await prompted(handle, text), "turn.ended").reason).toBe("done")
  expect(bodies(server).map((body) => body["reasoning_effort"])).toEqual(["high", undefined, undefined])
  expect(await warningsOf(handle)).toEqual(["thinking level 'high' is ignored: mine/plain does not take one"])
})

it("reserves the thoughts from the budget", async (test) => {
  const { place, config } = await world(test, "openai-compatible", "plain")
  const outcome = async (thinking: ThinkingLevel) => {
    const events = await place.turn({ ...config, thinking, budget: { tokensPerTree: 16_000 } })
    return events.at(-1)?.type
  }
  expect(await outcome("off")).toBe("turn.ended")
  expect(await outcome("high")).toBe("turn.parked")
})

it("gives a sub-agent its own level, or that of its parent", async (test) => {
  const task = (thinking?: ThinkingLevel): Reply => ({
    blocks: [{ tool: "subagent", input: { task: "look", ...(thinking === undefined ? {} : { thinking }) } }],
  })
  const { place, server, config } = await world(test, "openai-compatible", "plain", task("low"))
  await place.turn({ ...config, thinking: "high" })
  expect(bodies(server).map((body) => body["reasoning_effort"])).toEqual(["high", "low", "high"])
})
