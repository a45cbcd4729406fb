// Sessions of the WebSocket API in a whole host: configuration, tools, skills and the log on disk.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { trustFolder } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import type { OpenedHandle, SessionHandle } from "../../contract/host-port.ts"
import type { SessionEvent } from "../../contract/events.ts"
import { manifestOf, writePlugin } from "../../hooks/fixtures/plugins.ts"
import { writeFiles } from "../../plugins/fixtures/plugin-files.ts"
import { cwd, home, useConfigPlace, write } from "../../testing/config-place.ts"
import type { DefinedTools } from "../../tools/defined-tool.ts"
import { startHost, type RunningHost } from "../compose.ts"

useConfigPlace()

const visitor = { principal: "visitor", door: "ws" }
const running: RunningHost[] = []
afterEach(async () => {
  for (const started of running.splice(0)) await started.close()
})

async function host(config: Config): Promise<RunningHost> {
  write("home/config.json", config)
  const started = await startHost(
    { home, cwd, config, warnings: [], ownPlaces: [], serverFiles: new Map(), trusted: false },
    { role: "serve", approvalWaitMs: "by preset" },
  )
  running.push(started)
  return started
}

function handleOf(opened: OpenedHandle): SessionHandle {
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.handle
}

async function conversation({ port }: RunningHost, agentId: string): Promise<SessionHandle> {
  const service = { org: "public", owner: "", agentId }
  return handleOf(await port.create({ cwd, origin: "ws", preset: "service", service }, visitor))
}

async function turn(handle: SessionHandle, text: string): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = []
  const ended = Promise.withResolvers<void>()
  const leave = await handle.watch(0, (item) => {
    if (item.kind !== "event") return
    events.push(item.recorded.event)
    if (item.recorded.event.type === "turn.ended") ended.resolve()
  })
  await handle.send({ type: "prompt", promptId: `prm_${text}`, text, ifBusy: "wait" })
  await ended.promise
  leave()
  return events
}

const lookup: DefinedTools[string] = {
  description: "Finds an order.",
  input: { type: "object" },
  class: "read",
  run: ["echo", "order 7"],
}

describe("a session of the WebSocket API", () => {
  it("gets no instruction files and no environment, not even those of the user", async () => {
    writeFileSync(join(home, "AGENTS.md"), "Private notes of the operator.")
    const started = await host({ model: "offline/demo" })
    const handle = await conversation(started, "shop")
    const { sessionId } = handle
    const none = { kind: "answer", value: { files: [], unread: [], notices: [] } }
    expect(await started.port.query({ type: "instructions", sessionId })).toEqual(none)
    const answered = (await turn(handle, "hello")).find(({ type }) => type === "response.ended")
    expect(answered).not.toHaveProperty("environment")
    const local = handleOf(await started.port.create({ cwd, origin: "test" }, { principal: "me", door: "test" }))
    const read = await started.port.query({ type: "instructions", sessionId: local.sessionId })
    expect(read).toMatchObject({ value: { files: [{ characters: 30 }] } })
    expect((await turn(local, "hello")).find(({ type }) => type === "response.ended")).toHaveProperty("environment")
  })

  it("is created as its agent is configured", async () => {
    const agents = { shop: { model: "offline/demo", instructions: "Sell.", tools: ["lookup", "escalate", "read"] } }
    const started = await host({ system: "Work.", tools: { define: { lookup } }, agents })
    const handle = await conversation(started, "shop")
    const tools = await started.port.query({ type: "tools", sessionId: handle.sessionId })
    expect(tools).toMatchObject({ value: [{ name: "read" }, { name: "lookup" }, { name: "escalate" }] })
    const [created] = await turn(handle, "hello")
    expect(created).toMatchObject({
      org: "public",
      owner: "",
      agentId: "shop",
      preset: "service",
      model: "offline/demo",
      limits: { stepsPerTurn: 20, depth: 0, children: 0 },
    })
    expect(created).not.toHaveProperty("system")
    expect(await started.port.query({ type: "conversations", org: "public" })).toMatchObject({
      value: [{ sessionId: handle.sessionId, status: { title: "hello" } }],
    })
  })

  it("has the defaults if its agent is not configured", async () => {
    const started = await host({ tools: { define: { lookup } } })
    const handle = await conversation(started, "unheard-of")
    const tools = await started.port.query({ type: "tools", sessionId: handle.sessionId })
    const own = ["escalate", "request_identity_intake", "request_choices", "submit_interaction"]
    expect(tools).toMatchObject({ value: ["knowledge_search", "lookup", ...own].map((name) => ({ name })) })
  })

  it("has the skills of the configured folders", async () => {
    mkdirSync(join(home, "skills", "returns"), { recursive: true })
    writeFileSync(join(home, "skills", "returns", "SKILL.md"), "Ask for the receipt.")
    const started = await host({ skills: { paths: [join(home, "skills")] } })
    const { sessionId } = await conversation(started, "shop")
    expect(await started.port.query({ type: "skills", sessionId })).toEqual({ kind: "answer", value: ["returns"] })
  })

  it("has the skills of the user's plugins by both names, and none of a folder's", async () => {
    const manifest = { ".claude-plugin/plugin.json": {} }
    writeFiles(join(home, "plugins/shop"), { ...manifest, "skills/sell/SKILL.md": "Sell." })
    writeFiles(join(cwd, ".turnhouse/plugins/theirs"), { ...manifest, "skills/steal/SKILL.md": "Steal." })
    await trustFolder(home, cwd)
    const started = await host({ model: "offline/demo" })
    const { sessionId } = await conversation(started, "shop")
    expect(await started.port.query({ type: "skills", sessionId })).toMatchObject({ value: ["sell", "shop:sell"] })
  })

  it("has of the shared extensions those that its agent names, and every guard", async () => {
    const paths = [join(home, "more")]
    for (const id of ["crm", "other", "alone", "policy"]) writePlugin(join(home, "more"), id, manifestOf())
    const extensions = { paths, shared: ["crm", "other"], failClosed: ["policy"] }
    const started = await host({ extensions, agents: { shop: { extensions: ["crm", "alone"] } } })
    const { sessionId } = await conversation(started, "shop")
    const { sessionId: plain } = await conversation(started, "plain")
    const found = await started.port.query({ type: "extensions" })
    const lines = found.kind === "answer" && Array.isArray(found.value) ? found.value : []
    const ids = (id: string) =>
      lines.flatMap((line: { id: string; sessionId: string }) => (line.sessionId === id ? [line.id] : []))
    expect(ids(sessionId).toSorted()).toEqual(["crm", "policy"])
    expect(ids(plain)).toEqual(["policy"])
  })

  it("is found again by its visit in the next host", async () => {
    const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
    const participants = { user: visitId, agent: visitId }
    const first = await host({})
    const handle = await conversation(first, "shop")
    await handle.send({ type: "open-visit", visitId, agentId: "shop", contact: { name: "Ada" }, participants })
    await running.pop()?.close()
    const second = await host({})
    expect(await second.port.query({ type: "visit", visitId })).toMatchObject({
      value: { sessionId: handle.sessionId, visit: { principal: "visitor", contact: { name: "Ada" }, participants } },
    })
  })

  it("rejects a defined tool with the name of a tool for visitors", async () => {
    await expect(host({ tools: { define: { escalate: lookup } } })).rejects.toThrow("tools.define.escalate")
  })
})
