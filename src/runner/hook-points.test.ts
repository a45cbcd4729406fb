import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import type { Handler } from "../hooks/bus.ts"
import { systemClock } from "../hooks/clock.ts"
import { missingGuard, type HostedExtension } from "../hooks/hosted-extension.ts"
import { SessionHooks } from "../hooks/session-hooks.ts"
import { timing } from "../hooks/timing.ts"
import type { HookEvent, HookKind } from "../protocols/extension/frames.ts"
import { history, newSession, next, reopen, testHouse, testTool, turn, you } from "../testing/house.ts"
import { openMemoryLog, scriptedSource, type Part, type Step } from "../testing/index.ts"
import { modeGate } from "./gates.ts"
import { hookGate, type HookSource } from "./hook-points.ts"
import { denyGate, noRules, policyGate, type PolicyRules } from "./policy.ts"

const say = (text: string): Part => ({ text })
const call = (tool: string, input: JsonValue = {}): Part => ({ call: { tool, input } })
const continues = { action: "continue" }

type Answers = Partial<Record<HookKind, JsonValue>>

/** An extension in this process that answers each hook as it is told to. */
function extension(id: string, answers: Answers, seen: HookEvent[] = [], isGuard = false): HostedExtension {
  const handlers = Object.entries(answers).map(([kind, value]): Handler => ({
    extension: id,
    kind: kindOf(kind),
    tool: undefined,
    match: undefined,
    isGuard: isGuard && kind === "before_tool_call",
    mayReplace: true,
    handle: async (event) => {
      if (kind === "on_message_complete") await setImmediate() // slow enough for a tool to overtake it
      seen.push(event)
      return { kind: "result", value }
    },
  }))
  return { ...missingGuard(id, ""), isGuard, started: Promise.resolve({ kind: "started", tools: [] }), handlers }
}

const kinds: readonly HookKind[] = [
  "before_tool_call",
  "after_tool_call",
  "before_message",
  "on_message_complete",
  "on_compaction",
  "on_session_start",
  "on_session_end",
]

function kindOf(name: string): HookKind {
  const found = kinds.find((kind) => kind === name)
  if (found === undefined) throw new Error(`no hook ${name}`)
  return found
}

function watchingAll(seen: HookEvent[]): HostedExtension {
  return extension("watcher", Object.fromEntries(kinds.map((kind) => [kind, continues])), seen)
}

function sourceOf(...own: readonly HostedExtension[]): HookSource {
  const trees = new Map<string, SessionHooks>()
  return {
    enter: (rootId) => {
      const known =
        trees.get(rootId) ?? new SessionHooks({ own, shared: [], clock: systemClock, timing, debug: () => {} })
      trees.set(rootId, known)
      return known
    },
    leave: () => Promise.resolve(),
  }
}

interface World {
  readonly script: readonly Step[]
  readonly extensions: readonly HostedExtension[]
  readonly rules?: Partial<PolicyRules>
  readonly approvalWaitMs?: number
}

async function world({ script, extensions, rules, approvalWaitMs }: World, log = openMemoryLog(), pid = 1) {
  const ran: JsonValue[] = []
  const tools = [
    testTool("work", (input) => (ran.push(input), { outcome: "done", output: "worked" }), {
      problem: (input) => (input === null ? "The input must be an object." : undefined),
    }),
    testTool("break", () => ({ outcome: "failed", output: "no luck" })),
  ]
  const models = scriptedSource(script)
  const all = { ...noRules, ...rules }
  const gates = [modeGate, denyGate(all), hookGate, policyGate(all, () => [])]
  const change = { hooks: sourceOf(...extensions), gates, approvalWaitMs }
  const made = await testHouse(models, tools, change, log, pid)
  return { house: made.house, log, crash: () => made.crash(), ran, models }
}

const workOnce: readonly Step[] = [[call("work", { n: 1 })], [say("Done.")]]

async function resultsIn(log: Awaited<ReturnType<typeof world>>["log"], sessionId: string) {
  const ends = new Set(["tool.refused", "tool.ended", "tool.modified"])
  return (await history(log, sessionId)).filter(({ type }) => ends.has(type))
}

describe("an extension before a tool call", () => {
  it("that says continue lets it run as it is (case 1)", async () => {
    const seen: HookEvent[] = []
    const { house, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: continues }, seen)],
    })
    const session = await newSession(house)
    await turn(session, "work")
    expect(ran).toEqual([{ n: 1 }])
    expect(seen).toMatchObject([
      { tool_name: "work", tool_runtime_name: "work", tool_input: { n: 1 }, session_id: session.id },
    ])
  })

  it("blocks it, the model reads why, and nobody is told that it ran (case 2)", async () => {
    const seen: HookEvent[] = []
    const block = { action: "block", reason: "not on a Sunday" }
    const { house, log, ran } = await world({
      script: [[call("work")], [{ expect: { toolResult: "not on a Sunday" } }, say("I see.")]],
      extensions: [extension("policy", { before_tool_call: block, after_tool_call: continues }, seen)],
    })
    const session = await newSession(house)
    expect(await turn(session, "work")).toMatchObject({ reason: "done" })
    expect(ran).toEqual([])
    expect(seen.map(({ kind }) => kind)).toEqual(["before_tool_call"])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { type: "tool.refused", by: "policy", reason: "Tool call blocked by extension: not on a Sunday" },
    ])
  })

  it("asks a person, and a yes runs it with the input it had (case 3)", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { house, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
    })
    const session = await newSession(house)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "work")
    const { approvalId, reason } = await asked
    expect(reason).toBe("a: really?")
    await session.send({ type: "approve", approvalId, approved: true }, you)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(ran).toEqual([{ n: 1 }])
  })

  it("asks a person, and a no is a no (case 4)", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { house, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
    })
    const session = await newSession(house)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "work")
    await session.send({ type: "approve", approvalId: (await asked).approvalId, approved: false }, you)
    await ended
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([{ reason: expect.stringContaining("Denied") }])
  })

  it("that asks where nobody can be asked has the call refused (case 5)", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { house, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
      approvalWaitMs: 0,
    })
    const session = await newSession(house)
    await turn(session, "work")
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([{ reason: expect.stringContaining("nobody to ask") }])
  })

  it("and the policy ask one question together, of whoever may answer the stricter one", async () => {
    const confirm = { action: "confirm", message: "really?" }
    const { house, log } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: confirm })],
      rules: { approve: ["work"] },
    })
    const session = await newSession(house)
    const asked = next(session, "approval.requested")
    const ended = turn(session, "work")
    const { approvalId, reason, audience } = await asked
    expect(audience).toBe("approver")
    expect(reason).toBe("a: really? The configuration wants an approval for work.")
    await session.send({ type: "approve", approvalId, approved: true }, you)
    await ended
    const questions = (await history(log, session.id)).filter(({ type }) => type === "approval.requested")
    expect(questions).toHaveLength(1)
  })

  it("changes its input, which the tool and the next hook see, and the history keeps both (case 6)", async () => {
    const seen: HookEvent[] = []
    const modify = { action: "modify", input: { n: 2 } }
    const { house, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: modify, after_tool_call: continues }, seen)],
    })
    const session = await newSession(house)
    await turn(session, "work")
    expect(ran).toEqual([{ n: 2 }])
    expect(seen.map(({ kind, tool_input }) => [kind, tool_input])).toEqual([
      ["before_tool_call", { n: 1 }],
      ["after_tool_call", { n: 2 }],
    ])
    const events = await history(log, session.id)
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.called", input: { n: 1 } }))
    expect(events).toContainEqual(expect.objectContaining({ type: "tool.modified", by: "a", input: { n: 2 } }))
  })

  it("changes its input to null, and the tool itself says what is wrong (case 8)", async () => {
    const { house, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: { action: "modify", input: null } })],
    })
    const session = await newSession(house)
    await turn(session, "work")
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { type: "tool.modified" },
      { type: "tool.refused", by: "tools", reason: "The input must be an object." },
    ])
  })

  it("is not asked about what the configuration denies, nor about what is no call (case 61)", async () => {
    const seen: HookEvent[] = []
    const { house } = await world({
      script: [[call("work")], [call("nothing")], [{ call: { tool: "work", inputText: "{" } }], [say("Hm.")]],
      extensions: [extension("a", { before_tool_call: continues, after_tool_call: continues }, seen)],
      rules: { deny: ["work"] },
    })
    expect(await turn(await newSession(house), "work")).toMatchObject({ reason: "done" })
    expect(seen).toEqual([])
  })

  it("is not asked again after a restart when it has changed the input, but guards are", async () => {
    const [seen, guarded]: [HookEvent[], HookEvent[]] = [[], []]
    const extensions = [
      extension("a", { before_tool_call: { action: "modify", input: { n: 2 } } }, seen),
      extension("guard", { before_tool_call: continues }, guarded, true),
    ]
    const script = workOnce
    const first = await world({ script, extensions, rules: { confirm: ["work"] } })
    const session = await newSession(first.house)
    const asked = next(session, "approval.requested")
    void turn(session, "work").catch(() => {})
    const { approvalId } = await asked
    await first.crash()
    const second = await world({ script, extensions, rules: { confirm: ["work"] } }, first.log, 2)
    const again = await reopen(second.house, session.id)
    const ended = next(again, "turn.ended")
    await again.send({ type: "approve", approvalId, approved: true }, you)
    await ended
    expect(second.ran).toEqual([{ n: 2 }])
    expect(seen).toHaveLength(1)
    expect(guarded.map(({ tool_input }) => tool_input)).toEqual([{ n: 1 }, { n: 2 }])
  })

  it("cannot get past a guard by changing the input", async () => {
    const noTwos = extension("guard", {}, [], true)
    const guard: HostedExtension = {
      ...noTwos,
      handlers: [
        {
          extension: "guard",
          kind: "before_tool_call",
          tool: undefined,
          match: { input_contains: '"n":2' },
          isGuard: true,
          mayReplace: false,
          handle: async () => ({ kind: "result", value: { action: "block", reason: "no twos" } }),
        },
      ],
    }
    const { house, log, ran } = await world({
      script: workOnce,
      extensions: [extension("a", { before_tool_call: { action: "modify", input: { n: 2 } } }), guard],
    })
    const session = await newSession(house)
    await turn(session, "work")
    expect(ran).toEqual([])
    expect(await resultsIn(log, session.id)).toMatchObject([
      { type: "tool.modified", by: "a" },
      { type: "tool.refused", by: "guard", reason: "Tool call blocked by extension: no twos" },
    ])
  })
})

describe("an extension after a tool call", () => {
  it("sees how it went, also when it failed (case 60)", async () => {
    const seen: HookEvent[] = []
    const { house } = await world({
      script: [[call("break"), call("work")], [say("Hm.")]],
      extensions: [extension("a", { after_tool_call: continues }, seen)],
    })
    await turn(await newSession(house), "go")
    expect(new Set(seen.map(({ tool_output }) => tool_output))).toEqual(
      new Set(["Tool execution failed: no luck", "worked"]),
    )
  })

  it("may put another output in its place, and a failure stays one (case 67)", async () => {
    const replace = { action: "replace", output: "something else" }
    const { house, log } = await world({
      script: [[call("break")], [{ expect: { toolResult: "something else" } }, say("Hm.")]],
      extensions: [extension("a", { after_tool_call: replace })],
    })
    const session = await newSession(house)
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    expect(await resultsIn(log, session.id)).toMatchObject([{ outcome: "failed", output: "something else" }])
  })

  it("is not told of a call that was interrupted (case 61)", async () => {
    const seen: HookEvent[] = []
    const started = Promise.withResolvers<void>()
    const hang = testTool("hang", async (_input, { signal }) => {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
      return { outcome: "failed", output: "stopped" }
    })
    const hooks = sourceOf(extension("a", { before_tool_call: continues, after_tool_call: continues }, seen))
    const gates = [modeGate, hookGate]
    const { house } = await testHouse(scriptedSource([[call("hang")]]), [hang], { hooks, gates })
    const session = await newSession(house)
    const ended = turn(session, "go")
    await started.promise
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    await house.close()
    expect(seen.map(({ kind }) => kind)).toEqual(["before_tool_call"])
  })
})

describe("an extension around messages", () => {
  it("is asked once a prompt and told of each answer, before its tools run (case 62)", async () => {
    const seen: HookEvent[] = []
    const { house } = await world({
      script: [[say("One"), call("work")], [call("work")], [say("Three.")]],
      extensions: [watchingAll(seen)],
    })
    const session = await newSession(house)
    await turn(session, "hello")
    await house.close()
    expect(seen.map(({ kind, message, data }) => [kind, message, data])).toEqual([
      ["on_session_start", null, null],
      ["before_message", "hello", null],
      ["on_message_complete", "One", { content_block_count: 2, has_tool_use: true }],
      ["before_tool_call", null, null],
      ["after_tool_call", null, null],
      ["on_message_complete", "", { content_block_count: 1, has_tool_use: true }],
      ["before_tool_call", null, null],
      ["after_tool_call", null, null],
      ["on_message_complete", "Three.", { content_block_count: 1, has_tool_use: false }],
      ["on_session_end", null, null],
    ])
    expect(seen.every(({ session_id }) => session_id === session.id)).toBe(true)
    expect(seen.at(-1)?.transcript).toMatchObject([
      { role: "user", content: "hello" },
      { role: "assistant" },
      { role: "user" },
      { role: "assistant" },
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "Three." }] },
    ])
  })

  it("adds to the request, at the end of the newest words, and nothing of it is stored (cases 14 and 15)", async () => {
    const { house, log, models } = await world({
      script: [[say("Yes.")], [say("Again.")]],
      extensions: [
        extension("a", { before_message: { action: "inject", content: "A" } }),
        extension("b", { before_message: { action: "inject", content: "B" } }),
        extension("c", { before_message: { action: "block", reason: "no" } }),
      ],
    })
    const session = await newSession(house)
    await turn(session, "hello")
    const [request] = models.model.calls
    expect(request?.prompt.at(-1)).toMatchObject({
      role: "user",
      content: [
        { type: "text", text: "hello" },
        { type: "text", text: expect.stringContaining("\nA\n\nB\n") },
      ],
    })
    expect(JSON.stringify(await history(log, session.id))).not.toContain("A\\n\\nB")
  })

  it("adds to the system prompt of every request at the start of a session (case 68)", async () => {
    const { house, models } = await world({
      script: [[call("work")], [say("Yes.")]],
      extensions: [extension("a", { on_session_start: { action: "inject", content: "Remember the milk." } })],
    })
    await turn(await newSession(house), "hello")
    const systems = models.model.calls.map(({ prompt }) => prompt[0]?.content)
    expect(systems).toHaveLength(2)
    expect(systems[0]).toEqual(expect.stringMatching(/Remember the milk\.$/))
    expect(systems[1]).toEqual(systems[0])
  })

  it("is told of a compaction, with how much there was before it", async () => {
    const seen: HookEvent[] = []
    const { house } = await world({
      script: [[say("Yes.")]],
      extensions: [extension("a", { on_compaction: continues }, seen)],
    })
    const session = await newSession(house)
    await turn(session, "hello")
    const compacted = next(session, "context.compacted")
    await session.send({ type: "compact" }, you)
    await compacted
    await house.close()
    expect(seen).toMatchObject([
      {
        session_id: session.id,
        message: expect.stringContaining("hello"),
        data: { message_count: 2, old_session_id: session.id, new_session_id: session.id, source: "manual" },
      },
    ])
  })
})

describe("the tools of extensions", () => {
  it("are offered and run like any other, and hooks know them by both names (case 19)", async () => {
    const seen: HookEvent[] = []
    const called: JsonValue[] = []
    const input_schema = { properties: { text: { type: "string" } }, required: ["text"] }
    const bringing: HostedExtension = {
      ...extension("my-ext", { before_tool_call: continues }, seen),
      tools: [{ name: "echo", description: "says it again", input_schema }],
      callTool: async (name, input) => {
        called.push([name, input])
        return { kind: "done", output: "hi again" }
      },
    }
    const { house, log, models } = await world({
      script: [
        [call("my-ext_echo", { text: 7 })],
        [{ expect: { toolResult: "'text' must be a string" } }, call("my-ext_echo", { text: "hi" })],
        [{ expect: { toolResult: "hi again" } }, say("Well.")],
      ],
      extensions: [bringing],
    })
    const session = await newSession(house)
    expect(await turn(session, "say hi")).toMatchObject({ reason: "done" })
    expect(models.model.calls[0]?.tools).toContainEqual(expect.objectContaining({ name: "my-ext_echo" }))
    expect(called).toEqual([["echo", { text: "hi" }]])
    expect(seen).toMatchObject([{ tool_name: "my-ext_echo", tool_runtime_name: "my-ext:echo" }])
    expect(await history(log, session.id)).toContainEqual(
      expect.objectContaining({ type: "tool.started", class: "unsafe" }),
    )
  })

  it("that fail tell the model in their own words (case 46)", async () => {
    const bringing: HostedExtension = {
      ...extension("ext", {}),
      tools: [{ name: "echo", description: "says it again", input_schema: {} }],
      callTool: async () => ({ kind: "failed", why: "cannot speak" }),
    }
    const { house, log } = await world({
      script: [[call("ext_echo")], [{ expect: { toolResult: "cannot speak" } }, say("Hm.")]],
      extensions: [bringing],
    })
    const session = await newSession(house)
    expect(await turn(session, "say hi")).toMatchObject({ reason: "done" })
    expect(await resultsIn(log, session.id)).toMatchObject([{ outcome: "failed", output: "cannot speak" }])
  })
})

describe("the extensions of a child session", () => {
  it("are those of its root, see its calls without a session id, and nothing of its start and end", async () => {
    const seen: HookEvent[] = []
    const childId = "01890000-0000-7000-8000-000000000009"
    const { house } = await world({ script: workOnce, extensions: [watchingAll(seen)] })
    const root = await newSession(house)
    const ended = next(root, "child.ended")
    await root.send({ type: "spawn", childId, task: "work" }, you)
    expect(await ended).toMatchObject({ outcome: "done" })
    await house.close()
    expect(seen.map(({ kind, session_id }) => [kind, session_id])).toEqual([
      ["on_session_start", root.id],
      ["before_message", null],
      ["on_message_complete", null],
      ["before_tool_call", null],
      ["after_tool_call", null],
      ["on_message_complete", null],
      ["on_session_end", root.id],
    ])
  })
})
