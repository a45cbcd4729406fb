// Conformance cases 57 to 60: plan mode on the socket of a real agent, also across a kill -9.
import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { bash, newAgent, SharedAgent, startAgent, allowAllTools, turn, type Test } from "./agents.ts"
import { of, type Frame, type RawViewer } from "./raw-viewer.ts"

const enter = { type: "enter_plan_mode", focus: "auth" } as const
const exit = { type: "exit_plan_mode" } as const
const sync = { type: "plan_mode_sync_request" } as const
const input = (content: string) => ({ type: "plan_mode_user_input", content, context_files: [] }) as const
const error = (message: string): Frame => ({ type: "error", message, fatal: false })
const atRest = "Plan Mode - Focus: auth"

/** A whole turn of the plan, up to the status after it. */
async function planTurn(viewer: RawViewer, content: string): Promise<readonly Frame[]> {
  const from = viewer.frames.length
  await viewer.send(input(content))
  const end = await viewer.next("plan_mode_stream_end", from)
  const status = await viewer.next("status_update", viewer.frames.indexOf(end, from))
  return viewer.frames.slice(from, viewer.frames.indexOf(status, from) + 1)
}

function typesOf(frames: readonly Frame[]): readonly string[] {
  const types = frames.map(({ type }) => type)
  return types.filter((type, at) => at === 0 || type !== types[at - 1])
}

describe("plan mode", () => {
  const shared = new SharedAgent()

  /** Enters plan mode with a model that answers with this script, and leaves it after the test. */
  async function planning(test: Test, text: string): Promise<RawViewer> {
    const viewer = await shared.scripted(test, [[{ text }], [{ text: "More." }]])
    const entered = await viewer.ask("plan_mode_entered", enter)
    expect(entered).toMatchObject({ messages: [], status: atRest })
    expect(entered.plan_session_id).toMatch(/^plan-[0-9a-f]+$/)
    return viewer
  }

  it("57: enter, two inputs and exit are sent in order; the conversation gets only the summary, cut between characters", async (test) => {
    const plan = `# Plan\n\n1. ${"😀".repeat(200)}`
    const viewer = await planning(test, plan)
    for (const [content, answer] of [
      ["first", plan],
      ["second", "More."],
    ] as const) {
      const frames = await planTurn(viewer, content)
      expect(typesOf(frames)).toEqual([
        "plan_mode_message_added",
        "status_update",
        "plan_mode_stream_chunk",
        "plan_mode_stream_end",
        "plan_mode_message_added",
        "status_update",
      ])
      expect(of(frames, "status_update").map(({ status }) => status)).toEqual(["Plan Mode - Thinking...", atRest])
      const added = of(frames, "plan_mode_message_added").map(({ message }) => message.content)
      expect(added).toEqual([content, answer])
      expect(
        of(frames, "plan_mode_stream_chunk")
          .map(({ text }) => text)
          .join(""),
      ).toBe(answer)
    }
    const from = viewer.frames.length
    const { summary } = await viewer.ask("plan_mode_exited", exit)
    expect(summary?.endsWith("😀...")).toBe(true)
    expect(plan.startsWith(summary?.slice(0, -3) ?? "-")).toBe(true)
    expect(Buffer.byteLength(summary ?? "")).toBeLessThanOrEqual(503)
    const added = await viewer.next("message_added", from)
    expect(added.message).toMatchObject({ role: "system", content: `Plan: ${summary}` })
    expect((await viewer.sync()).messages).toEqual([added.message])
  })

  it("58: entering twice, leaving and prompting outside it, and entering while busy are errors without effect", async (test) => {
    const viewer = await planning(test, "1. Look")
    expect(await viewer.settle(enter)).toEqual([error("Already in plan mode")])
    await viewer.ask("plan_mode_exited", exit)
    expect(await viewer.settle(exit, input("hi"))).toEqual([
      error("Not in plan mode"),
      error("Plan mode error: Not in plan mode"),
    ])
    const busy = await shared.scripted(test, [[bash("sleep 1000")]])
    await busy.send({ type: "user_input", content: "work" })
    await busy.next("tool_call_start")
    const refused = await busy.ask("error", enter)
    expect(refused.message).toContain("busy")
    await busy.send({ type: "cancel" })
    await busy.ack("cancel")
    expect(await viewer.ask("conversation_sync", sync)).toMatchObject({ is_busy: false })
  })

  it("59: a call that would write is refused, the disk is unchanged, and cancel works in mid-plan", async (test) => {
    const write = { call: { tool: "write", input: { path: "new.txt", content: "x" } } } as const
    const viewer = await shared.scripted(
      test,
      [[bash("touch new.txt")], [write], [{ text: "No." }], [{ chunks: Array.from({ length: 1000 }, () => "a ") }]],
      { delayMs: 5 },
    )
    const before = readdirSync(shared.place.folder)
    await viewer.ask("plan_mode_entered", enter)
    const frames = await planTurn(viewer, "write")
    expect(of(frames, "tool_result").map(({ output, error: why }) => [output, why])).toEqual([
      [null, "Plan mode allows no bash: nothing may be changed."],
      [null, "Plan mode allows no write: nothing may be changed."],
    ])
    expect(readdirSync(shared.place.folder)).toEqual(before)
    const from = viewer.frames.length
    await viewer.send(input("talk"))
    await viewer.next("plan_mode_stream_chunk", from)
    await viewer.send({ type: "cancel" })
    await viewer.ack("cancel", from)
    expect(await viewer.next("plan_mode_stream_end", from)).toMatchObject({ finish_reason: "cancelled" })
    await viewer.ask("plan_mode_exited", exit)
  })
})

describe("60: a viewer that joins during plan mode", () => {
  it("gets both conversations, also after a kill -9", async (test) => {
    const agent = await newAgent(test, [[{ text: "Main." }], [{ text: "unused" }]])
    const viewer = await agent.viewer(test)
    await turn(viewer, "hello")
    await viewer.ask("plan_mode_entered", enter)
    await planTurn(viewer, "how?")
    agent.running.signal("SIGKILL")
    await agent.running.ended
    const again = await startAgent(agent.place, [agent.id])
    const late = await again.viewer(test)
    await late.next("plan_mode_sync")
    expect(typesOf(late.frames)).toEqual(["conversation_sync", "task_update", "seal_status", "plan_mode_sync"])
    const [main] = of(late.frames, "conversation_sync")
    const [plan] = of(late.frames, "plan_mode_sync")
    expect(main?.messages.map(({ content }) => content)).toEqual(["hello", "Main."])
    expect(plan).toMatchObject({ main_session_id: agent.id, is_busy: false, status: atRest })
    expect(plan?.messages.map(({ content }) => content)).toEqual(["how?", "Main."])
    expect(await late.ask("plan_mode_sync", sync)).toEqual(plan)
    await late.ask("plan_mode_exited", exit)
    expect(await late.ask("conversation_sync", sync)).toMatchObject({ is_busy: false })
    await eventually("the plan is continued", async () => {
      const { messages } = await late.ask("plan_mode_entered", enter)
      return messages.length === 2 || undefined
    })
  })
})

it("60: a plan whose host was killed in mid-answer is completed, in the plan", async (test) => {
  const pieces = Array.from({ length: 200 }, (_, index) => `${index} `)
  const agent = await newAgent(test, [[{ chunks: pieces }]], { delayMs: 5 })
  const viewer = await agent.viewer(test)
  await viewer.ask("plan_mode_entered", enter)
  await viewer.send(input("count"))
  await viewer.until("some text", (frame) => frame.type === "plan_mode_stream_chunk" && frame.text.includes("50"))
  agent.running.signal("SIGKILL")
  await agent.running.ended
  const late = await (await startAgent(agent.place, [agent.id])).viewer(test)
  const plan = await eventually("it is written", async () => {
    const shown = await late.ask("plan_mode_sync", sync)
    return shown.is_busy ? undefined : shown
  })
  expect(plan.messages.map(({ content }) => content)).toEqual(["count", pieces.join("")])
  expect((await late.sync()).messages).toEqual([])
})

describe("references", () => {
  const shared = new SharedAgent()

  it("are shown as they are resolved, and prompts are not changed", async (test) => {
    const viewer = await shared.scripted(test, [[{ text: "Read." }], [{ text: "Mended." }]])
    expect((await viewer.ask("conversation_sync", { type: "sync_request" })).messages).toEqual([])
    await turn(viewer, "Look at src/a.ts")
    const frames = await turn(viewer, "Fix it.")
    expect(of(frames, "toast")).toEqual([{ type: "toast", message: '"it" → src/a.ts', duration_ms: 1500 }])
    expect(of(frames, "seal_status")).toEqual([
      { type: "seal_status", enabled: true, entity_count: 1, last_resolution: '"it" → src/a.ts', quality_score: 1 },
    ])
    expect(of(frames, "message_added")[0]?.message.content).toBe("Fix it.")
    const late = await shared.viewer(test)
    expect(of(late.frames, "seal_status")).toEqual(of(frames, "seal_status"))
  })
})

describe("references that are turned off", () => {
  const shared = new SharedAgent({ ...allowAllTools, references: { enabled: false } })

  it("are neither shown nor given to the model", async (test) => {
    const viewer = await shared.scripted(test, [[{ text: "Read." }], [{ text: "What?" }]])
    const frames = [...(await turn(viewer, "Look at src/a.ts")), ...(await turn(viewer, "Fix it."))]
    expect(of(frames, "toast")).toEqual([])
    expect(of(viewer.frames, "seal_status")).toMatchObject([{ enabled: false, entity_count: 0, last_resolution: null }])
  })
})
