import { describe, expect, it } from "vitest"
import { gate } from "../../testing/gate.ts"
import { next, testTool, you } from "../../testing/test-host.ts"
import { ipcWorld, type TestViewer } from "../../testing/doors/ipc-world.ts"
import type { ReceivedFrame } from "../../testing/doors/line-client.ts"

const enter = { type: "enter_plan_mode", focus: "auth" }
const exit = { type: "exit_plan_mode" }
const sync = { type: "plan_mode_sync_request" }
const input = (content: string) => ({ type: "plan_mode_user_input", content, context_files: [] })
const plan = `# Plan\n\n1. ${"Mend the door. ".repeat(10)}`

function planned(viewer: TestViewer): readonly unknown[] {
  return viewer.all("plan_mode_message_added").map(({ message }) => message)
}

/** The frames from there on, with chunks of one text joined. */
function inOrder(viewer: TestViewer, from: number): readonly unknown[] {
  const types = viewer.types().slice(from)
  return types.filter((type, at) => at === 0 || type !== types[at - 1])
}

const words = (role: string, content: string) => expect.objectContaining({ role, content })
const isAtRest = ({ status }: ReceivedFrame) => status === "Plan Mode - Focus: auth"

describe("plan mode on the session socket", () => {
  it("has frames of its own, in order, and adds its summary to the conversation", async () => {
    const { viewer: attach } = await ipcWorld([[{ text: plan }]])
    const [viewer, other] = [await attach(), await attach()]
    const from = viewer.received.length
    viewer.say(enter)
    const entered = await viewer.of("plan_mode_entered")
    expect(entered).toMatchObject({ messages: [], status: "Plan Mode - Focus: auth" })
    expect(entered["plan_session_id"]).toMatch(/^plan-./)
    viewer.say(input("how?"))
    await viewer.of("plan_mode_stream_end")
    await viewer.until(() => viewer.all("status_update").filter(isAtRest).length === 2)
    viewer.say(exit)
    await viewer.of("message_added")
    await viewer.of("status_update", ({ status }) => status === "Ready - Model: m")
    expect(inOrder(viewer, from)).toEqual([
      "plan_mode_entered",
      "status_update",
      "plan_mode_message_added",
      "status_update",
      "plan_mode_stream_chunk",
      "plan_mode_stream_end",
      "plan_mode_message_added",
      "status_update",
      "plan_mode_exited",
      "message_added",
      "status_update",
    ])
    expect(planned(viewer)).toEqual([words("user", "how?"), words("assistant", plan)])
    expect(viewer.all("plan_mode_exited")).toEqual([{ type: "plan_mode_exited", summary: plan }])
    expect(viewer.all("message_added")).toMatchObject([{ message: { role: "system", content: `Plan: ${plan}` } }])
    await other.until(() => other.received.length === viewer.received.length)
    expect(other.types()).toEqual(viewer.types())
  })

  it("refuses requests with the protocol's texts, to the requester only", async () => {
    const busy = gate()
    const { viewer: attach } = await ipcWorld([[{ gate: busy }, { text: "done" }]])
    const [viewer, other] = [await attach(), await attach()]
    viewer.say(exit, input("hi"), sync, { type: "user_input", content: "work" })
    await busy.arrived
    viewer.say(enter)
    await viewer.until(() => viewer.all("error").length === 3)
    busy.open()
    await viewer.of("stream_end")
    viewer.say(enter, enter, input(" "))
    await viewer.until(() => viewer.all("error").length === 5)
    expect(viewer.all("error").map(({ message }) => message)).toEqual([
      "Not in plan mode",
      "Plan mode error: Not in plan mode",
      "The session is busy with a turn. Wait until it ends, or interrupt it.",
      "Already in plan mode",
      "plan_mode_user_input: content is empty",
    ])
    expect(viewer.all("conversation_sync")).toHaveLength(2)
    expect(other.all("error")).toEqual([])
  })

  it("takes every kind of prompt for the plan, and acknowledges where the protocol does", async () => {
    const { viewer: attach } = await ipcWorld([[{ text: "one" }], [{ text: "two" }]])
    const viewer = await attach()
    viewer.say({ type: "enter_plan_mode", focus: null }, { type: "user_input", content: "a" })
    await viewer.ack("user_input")
    await viewer.of("plan_mode_stream_end")
    viewer.say({ type: "queue_message", content: "b" })
    await viewer.until(() => planned(viewer).length === 4)
    expect(planned(viewer)).toEqual(
      ["a", "one", "b", "two"].map((text, at) => words(at % 2 ? "assistant" : "user", text)),
    )
    expect(viewer.all("message_added")).toEqual([])
    expect(viewer.all("plan_mode_entered")).toMatchObject([{ status: "Plan Mode - Focus: general planning" }])
  })

  it("sends both conversations and the text so far to a viewer that joins in mid-answer", async () => {
    const middle = gate()
    const { viewer: attach, session } = await ipcWorld([[{ text: "1. Look " }, { gate: middle }, { text: "2. Leap" }]])
    await session.send({ type: "enter-plan" }, you)
    await session.send({ type: "exit-plan", summary: "earlier" }, you)
    const viewer = await attach()
    viewer.say(enter, input("how?"))
    await middle.arrived
    await viewer.of("plan_mode_stream_chunk")
    const late = await attach()
    await late.of("plan_mode_stream_chunk")
    expect(inOrder(late, 1)).toEqual([
      "conversation_sync",
      "task_update",
      "seal_status",
      "plan_mode_sync",
      "plan_mode_stream_chunk",
    ])
    expect(late.all("conversation_sync")).toMatchObject([{ is_busy: false, messages: [{ content: "Plan: earlier" }] }])
    expect(late.all("plan_mode_sync")).toMatchObject([
      {
        main_session_id: session.id,
        is_busy: true,
        messages: [{ content: "how?" }],
        status: "Plan Mode - Thinking...",
      },
    ])
    late.say(sync, { type: "sync_request" })
    await late.until(() => late.all("plan_mode_sync").length === 3)
    middle.open()
    await late.of("plan_mode_message_added")
    const text = late.all("plan_mode_stream_chunk").map((chunk) => chunk["text"])
    expect(text.join("")).toBe("1. Look 2. Leap")
  })

  it("is cancelled like any other turn", async () => {
    const middle = gate()
    const { viewer: attach } = await ipcWorld([[{ text: "1. Look " }, { gate: middle }]])
    const viewer = await attach()
    viewer.say(enter, input("how?"))
    await middle.arrived
    viewer.say({ type: "cancel" })
    await viewer.ack("cancel")
    expect(viewer.all("plan_mode_stream_end")).toEqual([{ type: "plan_mode_stream_end", finish_reason: "cancelled" }])
    expect(planned(viewer)).toEqual([
      words("user", "how?"),
      words("assistant", "1. Look "),
      words("system", "Interrupted by you."),
    ])
  })

  it("shows a refused call with its reason", async () => {
    let runs = 0
    const bash = testTool("bash", () => ({ outcome: "done", output: String((runs += 1)) }))
    const call = { call: { tool: "bash", input: { command: "touch x" } } } as const
    const { viewer: attach } = await ipcWorld([[call], [{ text: "No." }]], { tools: [bash] })
    const viewer = await attach()
    viewer.say(enter, input("do it"))
    const result = await viewer.of("tool_result")
    expect(result).toMatchObject({ output: null, error: "Plan mode allows no bash: nothing may be changed." })
    await viewer.of("plan_mode_stream_end")
    expect(runs).toBe(0)
  })

  it("is continued when entered again, unless it was cleared", async () => {
    const { viewer: attach, session } = await ipcWorld([[{ text: "one" }], [{ text: "two" }]])
    const viewer = await attach()
    const ended = next(session, "turn.ended")
    viewer.say(enter, input("how?"))
    await ended
    await viewer.until(() => planned(viewer).length === 2)
    viewer.say(exit, { type: "enter_plan_mode" }, exit)
    await viewer.until(() => viewer.all("plan_mode_exited").length === 2)
    const [first, second] = viewer.all("plan_mode_entered")
    expect(second).toMatchObject({ ...first, messages: [words("user", "how?"), words("assistant", "one")] })
    viewer.say({ type: "slash_command", command: "clear", args: [] }, enter)
    await viewer.until(() => viewer.all("plan_mode_entered").length === 3)
    expect(viewer.all("plan_mode_entered")[2]).toMatchObject({ messages: [] })
    expect(viewer.all("plan_mode_entered")[2]?.["plan_session_id"]).not.toBe(first?.["plan_session_id"])
  })

  it("is refused in sessions of the WebSocket API", async () => {
    const { viewer: attach } = await ipcWorld([], { session: { preset: "service" } })
    const viewer = await attach()
    viewer.say(enter)
    expect(await viewer.of("error")).toMatchObject({ message: "Sessions of the WebSocket API have no plan mode." })
  })
})
