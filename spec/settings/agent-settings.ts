// Settings of agents that answer visitors of the WebSocket API, and of the documents and extensions they use.
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, vi } from "vitest"
import { KnowledgeSchedule } from "../../src/app/knowledge/schedule.ts"
import type { Config } from "../../src/contract/config.ts"
import type { SettingTests } from "./setting-tests.ts"
import { prompted, visitorOf, type World } from "./world.ts"

type Agent = NonNullable<Config["agents"]>[string]

/** The first requests that an agent's turn makes to its provider, as text. */
async function requestsOf(world: World, agent: Agent, count = 1): Promise<readonly string[]> {
  const server = await world.provider()
  const providers: Config["providers"] = { mine: { type: "openai-compatible", baseURL: `${server.url}/v1` } }
  await world.turn({ model: "mine/main", providers, agents: { shop: agent } }, "hello", visitorOf("shop"))
  const received = await Promise.all(Array.from({ length: count }, (_, at) => server.arrived(at + 1)))
  return received.map(({ body }) => JSON.stringify(body))
}

async function requestOf(world: World, agent: Agent): Promise<string> {
  return (await requestsOf(world, agent))[0] ?? ""
}

/** With and without a member of the agent: whether the request has the text. */
async function expectInRequest(world: World, agent: Agent, text: string): Promise<void> {
  expect(await requestOf(world, {})).not.toContain(text)
  expect(await requestOf(world, agent)).toContain(text)
}

const step = { id: "size", intent: "Find out the size.", criteria: "The size is known." }

export const agentSettings: SettingTests = {
  "agents.<name>.instructions": (world) => expectInRequest(world, { instructions: "Sell shoes." }, "Sell shoes."),
  "agents.<name>.from": (world) => {
    world.write("home/agents/seller.md", "---\nthinking: low\n---\nSell hats.")
    return expectInRequest(world, { from: "seller" }, "Sell hats.")
  },
  "agents.<name>.greeting": (world) => expectInRequest(world, { greeting: "Ahoy, sailor!" }, "Ahoy, sailor!"),
  "agents.<name>.model": async (world) => {
    expect(await requestOf(world, {})).toContain('"model":"main"')
    expect(await requestOf(world, { model: "mine/other" })).toContain('"model":"other"')
  },
  "agents.<name>.thinking": (world) => expectInRequest(world, { thinking: "low" }, '"reasoning_effort":"low"'),
  "agents.<name>.fallback": async (world) => {
    const failing = await world.provider({ status: 529, headers: { "retry-after-ms": "1" }, times: 6 })
    const spare = await world.provider()
    const providers: Config["providers"] = {
      failing: { type: "openai-compatible", baseURL: `${failing.url}/v1` },
      spare: { type: "openai-compatible", baseURL: `${spare.url}/v1` },
    }
    const agents = { shop: { fallback: ["spare/b"] } }
    await world.turn({ model: "failing/a", providers, agents }, "hello", visitorOf("shop"))
    expect((await spare.arrived(1)).body["model"]).toBe("b")
  },
  "agents.<name>.tools": async (world) => {
    expect(await requestOf(world, {})).not.toContain('"name":"bash"')
    expect(await requestOf(world, { tools: ["bash"] })).toContain('"name":"bash"')
  },
  "agents.<name>.visibility": (world) =>
    expectInRequest(world, { visibility: "internal" }, "You talk to people who belong to the organisation."),
  "agents.<name>.preamble": async (world) => {
    const both = await requestsOf(world, { preamble: "mine/quick" }, 2)
    expect(both.filter((body) => body.includes('"model":"quick"'))).toHaveLength(1)
    expect(await requestOf(world, {})).not.toContain('"model":"quick"')
  },
  "agents.<name>.workflow.goal": (world) =>
    expectInRequest(world, { workflow: { goal: "A shoe is sold.", steps: [step] } }, "A shoe is sold."),
  "agents.<name>.workflow.steps": async (world) => {
    for (const intent of ["Ask for the size.", "Ask for the colour."]) {
      const workflow = { goal: "A shoe is sold.", steps: [{ ...step, intent }] }
      expect(await requestOf(world, { workflow })).toContain(intent)
    }
  },
  "agents.<name>.judge": async (world) => {
    const workflow = { goal: "A shoe is sold.", steps: [step, { ...step, id: "colour" }] }
    const judgedBy = async (judge?: string) => (await requestsOf(world, { workflow, judge }, 2))[1]
    expect(await judgedBy()).toContain('"model":"main"')
    expect(await judgedBy("mine/judge")).toContain('"model":"judge"')
  },
  "agents.<name>.documents": async (world) => {
    const { org } = visitorOf("shop").service ?? {}
    for (const name of ["shoes", "salaries"]) {
      world.write(`folder/${name}.md`, `# ${name}\n\nThe ${name} can be returned for 30 days.\n`)
      await world.program("knowledge", "add", `${world.cwd}/${name}.md`, "--set", name, "--org", org ?? "")
    }
    const retrieved = async (documents?: string[]) => {
      const config = { model: world.script([{ text: "x" }]), agents: { shop: { documents } } }
      const events = await world.turn(config, "what can be returned for 30 days?", visitorOf("shop"))
      return events.flatMap((event) => (event.type === "context.retrieved" ? event.passages.map(({ id }) => id) : []))
    }
    expect((await retrieved()).toSorted()).toEqual(["salaries.md", "shoes.md"])
    expect(await retrieved(["shoes"])).toEqual(["shoes.md"])
    expect(await retrieved([])).toEqual([])
  },
  "tools.endUser": async (world) => {
    const call = (endUser: string[]) => world.call(visited(world, { endUser }), visitorOf("shop"))
    expect(await call([])).toBe("done: paid")
    expect(await call(["pay"])).not.toBe("done: paid")
  },
  "tools.admin": async (world) => {
    const call = (admin: string[]) => world.call(visited(world, { admin }), visitorOf("shop"))
    expect(await call([])).toBe("done: paid")
    expect(await call(["pay"])).toMatch(/^refused: /)
  },
  "knowledge.autoRetrieve": async (world) => {
    await world.program(
      "knowledge",
      "add",
      world.write("folder/returns.md", "# Returns\n\nShoes can be returned for 30 days.\n"),
    )
    const retrieved = async (autoRetrieve: number) => {
      const config = { model: world.script([{ text: "x" }]), knowledge: { autoRetrieve, embeddings: "off" } }
      const events = await prompted(await world.session(config), "how long can shoes be returned?")
      return events.some(({ type }) => type === "context.retrieved")
    }
    expect(await retrieved(0)).toBe(false)
    expect(await retrieved(3)).toBe(true)
  },
  "knowledge.refresh": async (world) => {
    world.write("folder/docs/a.md", "# One\n")
    await world.program("knowledge", "add", `${world.cwd}/docs`, "--every", "1m")
    world.write("folder/docs/b.md", "# Two\n")
    const index = new DatabaseSync(join(world.home, "knowledge.db"), { timeout: 10_000 })
    index.exec("update sources set next_run_at = 0")
    const runs = () =>
      Number(index.prepare("select count(*) as runs from source_runs where ended_at > 0").get()?.["runs"])
    const place = {
      home: world.home,
      cwd: world.cwd,
      warnings: [],
      ownPlaces: [],
      serverFiles: new Map(),
      trusted: false,
    }
    expect(KnowledgeSchedule.start({ ...place, config: { knowledge: { refresh: false } } })).toBeUndefined()
    const schedule = KnowledgeSchedule.start({ ...place, config: {} })
    await vi.waitFor(() => expect(runs()).toBe(2), { timeout: 60_000, interval: 100 })
    await schedule?.close()
    expect(index.prepare("select name from documents").all()).toHaveLength(2)
    index.close()
  },
  "knowledge.embeddings": async (world) => {
    world.write("folder/returns.md", "# Returns\n\nShoes can be returned for 30 days.\n")
    const server = await world.provider()
    const providers: Config["providers"] = { mine: { type: "openai-compatible", baseURL: `${server.url}/v1` } }
    const adding = async (embeddings: string) => {
      world.write("home/config.json", JSON.stringify({ providers, knowledge: { embeddings } }))
      return (await world.program("knowledge", "add", `${world.cwd}/returns.md`)).stdout
    }
    expect(await adding("off")).not.toContain("by words only")
    expect(await adding("mine/embed")).toContain("passages are found by words only: Provider mine has no model embed")
  },
}

function visited(world: World, tools: NonNullable<Config["tools"]>): Config {
  const pay = { description: "Pays.", input: { type: "object" }, class: "read" as const, run: ["echo", "paid"] }
  return { model: world.calls("pay", {}), tools: { ...tools, define: { pay } }, agents: { shop: { tools: ["pay"] } } }
}
