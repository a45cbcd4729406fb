// Fallback models in a whole host, against look-alike servers.
import { expect, it, type TestContext } from "vitest"
import type { Config } from "../src/contract/config.ts"
import type { Reply } from "./provider-server/script.ts"
import { eventIn, prompted, World } from "./settings/world.ts"

/** All attempts at one call. */
const overloaded: Reply = { status: 529, headers: { "retry-after-ms": "1" }, times: 6 }

async function world(test: TestContext, first: readonly Reply[], second: readonly Reply[] = []) {
  const place = new World(test)
  const [one, two] = [await place.provider(...first), await place.provider(...second)]
  const type = "openai-compatible" as const
  const providers = { one: { type, baseURL: `${one.url}/v1` }, two: { type, baseURL: `${two.url}/v1` } }
  const config: Config = { model: "one/a", providers, fallback: ["two/b", "two/c"] }
  return { place, one, two, config }
}

it("continues the turn with the next model, and returns to the first at the next turn", async (test) => {
  const { place, one, two, config } = await world(test, [overloaded], [{ blocks: [{ tool: "ls", input: {} }] }])
  const handle = await place.session(config)
  const events = await prompted(handle, "hello")
  expect(eventIn(events, "model.replaced")).toMatchObject({ from: "one/a", model: "two/b" })
  const answered = events.flatMap((event) => (event.type === "response.ended" ? [event.model] : []))
  expect(answered).toEqual(["two/b", "two/b"]) // the whole turn
  expect([one.requests.length, two.requests.length]).toEqual([6, 2])
  expect(eventIn(await prompted(handle, "again"), "response.ended").model).toBe("one/a")
})

it("tries each model once, then fails with the last reason", async (test) => {
  const failing: Reply = { ...overloaded, times: 12 }
  const { place, config } = await world(test, [overloaded], [failing])
  const events = await place.turn(config)
  const tried = events.flatMap((event) => (event.type === "model.replaced" ? [event.model] : []))
  expect(tried).toEqual(["two/b", "two/c"])
  expect(eventIn(events, "turn.ended")).toMatchObject({ reason: "failed" })
})

it("does not replace a model whose key or request is refused", async (test) => {
  const { place, two, config } = await world(test, [{ status: 401 }, { status: 400 }])
  const handle = await place.session(config)
  for (const text of ["one", "two"]) expect(eventIn(await prompted(handle, text), "turn.ended").reason).toBe("failed")
  expect(two.requests).toHaveLength(0)
})

it("reserves the budget for the other model", async (test) => {
  const { place, two, config } = await world(test, [overloaded])
  const events = await place.turn({ ...config, budget: { usdPerTree: 1, tokensPerTree: 30_000 } })
  expect(eventIn(events, "response.ended").model).toBe("two/b")
  expect(two.requests).toHaveLength(1)
})
