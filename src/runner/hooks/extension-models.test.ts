import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { JsonValue } from "../../contract/values.ts"
import { discover } from "../../hooks/discovery/discover.ts"
import { ExtensionHost } from "../../hooks/extension-host.ts"
import { discoveryIn, manifestOf, temporaryFolder, writePlugin } from "../../hooks/fixtures/plugins.ts"
import { ExtensionMemory } from "../../hooks/memory.ts"
import { freshMark } from "../../processes/fixtures/marked.ts"
import { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import { history, newSession, next, prompt, testHost, testTool, turn, you } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import type { ToolResult } from "../../tools/tool.ts"
import type { HookSource } from "./hook-points.ts"
import { modeGate, hookGate } from "../tools/gates.ts"
import { denyGate, noRules, noPaths, policyGate } from "../../features/approvals/effects/policy.ts"
import type { SessionActor } from "../session-actor.ts"
import { unconfined } from "../../hooks/process/plugin-sandbox.ts"

const speaker = fileURLToPath(new URL("../../clients/extension/fixtures/speaker.ts", import.meta.url))
const childId = "01890000-0000-7000-8000-0000000000aa"

/** The extensions of these manifests, in processes of their own. */
function extensionsOf(manifests: Readonly<Record<string, JsonValue>>): HookSource {
  const root = temporaryFolder()
  for (const [id, manifest] of Object.entries(manifests)) writePlugin(root, id, manifest)
  const processes = new ProcessSupervisor(freshMark())
  const services = { memory: new ExtensionMemory(join(root, "memory")), configFolder: root, now: Date.now }
  const host = new ExtensionHost({
    processes,
    release: "0.0.0",
    alarm: () => {},
    debug: () => {},
    services: { ...services, scrub: (text) => text },
  })
  onTestFinished(async () => {
    await host.close()
    await processes.close()
  })
  const found = discover(discoveryIn([root]))
  const plan = { found, failClosed: [], disabled: [], shared: [], canaries: {}, starter: unconfined }
  return { enter: (rootId) => host.enter(rootId, () => plan), leave: (rootId) => host.leave(rootId) }
}

const speaking = manifestOf({}, { args: [speaker], hooks: [], permissions: ["providers.register"] })

async function world(manifests: Readonly<Record<string, JsonValue>> = { speaker: speaking }, withLongTool = false) {
  const ran: JsonValue[] = []
  const description = "works ".repeat(50_000) // more than fits into the model that is told nothing of it
  const work = (input: JsonValue): ToolResult => (ran.push(input), { outcome: "done", output: "worked" })
  const tool = testTool("work", work, withLongTool ? { description } : {})
  const gates = [modeGate, denyGate(noRules, noPaths), hookGate, policyGate(noRules, noPaths)]
  const { host, log } = await testHost(scriptedSource([[{ text: "From the house." }]]), [tool], {
    hooks: extensionsOf(manifests),
    gates,
  })
  onTestFinished(() => host.close())
  return { host, log, ran }
}

function textDeltas(session: SessionActor): readonly string[] {
  const heard: string[] = []
  session.watch((item) => {
    const delta: SessionDelta | undefined = item.kind === "delta" ? item.delta : undefined
    if (delta?.type === "text.delta") heard.push(delta.delta)
  })
  return heard
}

describe("a turn on the model of an extension", () => {
  it("streams its text, and stores it with its usage", async () => {
    const { host, log } = await world()
    const session = await newSession(host, { model: "speaker:talk:echo" })
    const deltas = textDeltas(session)
    expect(await turn(session, "good morning")).toMatchObject({ reason: "done" })
    expect(deltas).toEqual(["You said: ", "good morning"])
    const events = await history(log, session.id)
    expect(events).toContainEqual(expect.objectContaining({ type: "text.ended", text: "You said: good morning" }))
    expect(events.find(({ type }) => type === "response.ended")).toMatchObject({
      model: "speaker:talk:echo",
      finish: "stop",
      usage: { input: 4, output: 2 },
    })
  })

  it("calls a tool through the usual gates, and continues with its result", async () => {
    const { host, log, ran } = await world()
    const session = await newSession(host, { model: "speaker:work:hand" })
    expect(await turn(session, "do it")).toMatchObject({ reason: "done" })
    expect(ran).toEqual([{ words: "do it" }])
    const events = await history(log, session.id)
    expect(events).toContainEqual(expect.objectContaining({ type: "text.ended", text: "The tool says: worked" }))
  })

  it("has its calls blocked by another extension like those of other models", async () => {
    const policy = manifestOf({ answer: { action: "block", reason: "not on a Sunday" } })
    const { host, log, ran } = await world({ policy, speaker: speaking })
    const session = await newSession(host, { model: "speaker:work:hand" })
    expect(await turn(session, "do it")).toMatchObject({ reason: "done" })
    expect(ran).toEqual([])
    const said = "The tool says: Tool call blocked by extension: not on a Sunday"
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining({ type: "text.ended", text: said }))
  })

  it("can be followed by a turn on a configured model, and vice versa", async () => {
    const { host, log } = await world()
    const session = await newSession(host)
    await turn(session, "hi")
    await session.send({ type: "select-model", model: "speaker:talk:echo" }, you)
    await turn(session, "hi again")
    const texts = (await history(log, session.id)).flatMap((event) => (event.type === "text.ended" ? [event.text] : []))
    expect(texts).toEqual(["From the house.", "You said: hi again"])
  })

  it("omits tools from requests to a model that cannot call them", async () => {
    const { host, log } = await world(undefined, true)
    const session = await newSession(host, { model: "speaker:talk:echo" })
    expect(await turn(session, "hi")).toMatchObject({ reason: "done" })
    expect((await history(log, session.id)).map(({ type }) => type)).not.toContain("compaction.started")
  })

  it("may be a turn of a child session", async () => {
    const { host } = await world()
    const session = await newSession(host)
    const ended = next(session, "child.ended")
    await session.send({ type: "spawn", childId, task: "echo this", model: "speaker:talk:echo" }, you)
    expect(await ended).toMatchObject({ outcome: "done", result: "You said: echo this" })
  })

  it("may be a summary", async () => {
    const { host } = await world()
    const session = await newSession(host, { model: "speaker:talk:echo" })
    await turn(session, "hi")
    const compacted = next(session, "context.compacted")
    await session.send({ type: "compact" }, you)
    expect(await compacted).toMatchObject({ summary: expect.stringContaining("You said: Summarise the conversation") })
  })
})

describe("a turn on the model of an extension that fails", () => {
  it.for([
    ["fail", "answered provider.stream with an error: out of breath"],
    ["crash", "failed during provider.stream: it ended with exit code 3"],
  ] as const)(
    "by '%s' has failed with a sentence about the extension, and the next one works",
    async ([words, sentence]) => {
      const { host } = await world()
      const session = await newSession(host, { model: "speaker:talk:echo" })
      const error = `The model call failed: extension speaker ${sentence}`
      expect(await turn(session, words)).toMatchObject({ reason: "failed", error })
      expect(await turn(session, "again")).toMatchObject({ reason: "done" })
    },
  )

  it("keeps the text so far", async () => {
    const { host, log } = await world()
    const session = await newSession(host, { model: "speaker:talk:echo" })
    await turn(session, "fail")
    const half = { type: "text.ended", text: "You said: ", interrupted: true }
    expect(await history(log, session.id)).toContainEqual(expect.objectContaining(half))
  })

  it.for([
    ["stranger:talk:echo", "this session has no extension 'stranger'"],
    ["broken:talk:echo", "extension broken was not loaded: it answered initialize with an error: not today"],
    ["silent:talk:echo", "extension silent has no providers"],
    ["speaker:shout:echo", "extension speaker has no provider 'shout', only talk, work"],
    ["speaker:talk:loud", "the provider talk of extension speaker has no model 'loud', only echo"],
  ] as const)("says what is missing for %s", async ([model, why]) => {
    const broken = manifestOf({ initialize: "error" })
    const { host } = await world({ broken, silent: manifestOf(), speaker: speaking })
    const session = await newSession(host, { model })
    const error = `Model ${model} is not available: ${why}.`
    expect(await turn(session, "hi")).toMatchObject({ reason: "failed", error })
  })
})

describe("an interrupt", () => {
  it("ends an answer of an extension's model at once, and its later text is dropped", async () => {
    const { host, log } = await world()
    const session = await newSession(host, { model: "speaker:talk:echo" })
    const deltas = textDeltas(session)
    const ended = next(session, "turn.ended")
    await prompt(session, "fall silent")
    await expect.poll(() => deltas, { timeout: 20_000, interval: 10 }).toEqual(["You said: "])
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ text: "You said: ", interrupted: true }),
    )
  })

  it("does not wait for an extension that is still starting", async () => {
    const late = manifestOf({ initialize: "hang" })
    const { host } = await world({ late })
    const session = await newSession(host, { model: "late:talk:echo" })
    const ended = next(session, "turn.ended")
    const started = next(session, "step.started")
    await prompt(session, "hi")
    await started
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
  })
})
