import { describe, expect, it } from "vitest"
import { childId, emptySnapshot, sessionId, ToldView, viewer } from "./fixtures/recorded-view.ts"

describe("a turn", () => {
  it("of text alone is told in the order that viewers know", () => {
    const told = new ToldView().prompted("hi").text("Hel").text("lo").textEnded("Hello").ended()
    expect(told.heard).toEqual([
      { type: "ack", command: "user_input" },
      { type: "message_added", message: { role: "user", content: "hi", created_at: 0 } },
      { type: "status_update", status: "Streaming response..." },
      { type: "stream_chunk", text: "Hel" },
      { type: "stream_chunk", text: "lo" },
      { type: "stream_end", finish_reason: "stop" },
      { type: "message_added", message: { role: "assistant", content: "Hello", created_at: 0 } },
      { type: "status_update", status: "Ready - Model: m1" },
    ])
  })

  it("with a tool tells the call and its result between the words, which are one message in the end", () => {
    const told = new ToldView().prompted("hi").text("Look.").textEnded("Look.").called("cal_1", "read", { path: "a" })
    told.toolEnded("cal_1", "x").step().text("Done.").textEnded("Done.").ended()
    expect(told.heard.slice(3)).toEqual([
      { type: "stream_chunk", text: "Look." },
      { type: "tool_call_start", id: "cal_1", name: "read", server: "cli-local", input: { path: "a" } },
      { type: "status_update", status: "⚙️ Executing: read..." },
      { type: "tool_result", id: "cal_1", name: "read", output: "x", error: null },
      { type: "status_update", status: "Processing tool result..." },
      { type: "stream_chunk", text: "\n\nDone." },
      { type: "stream_end", finish_reason: "stop" },
      { type: "message_added", message: { role: "assistant", content: "Look.\n\nDone.", created_at: 0 } },
      { type: "status_update", status: "Ready - Model: m1" },
    ])
  })

  it("that failed has one error, one end, what was said, and says why", () => {
    const told = new ToldView().prompted().text("Hal").forget().textEnded("Hal", 0, true).ended("failed", "boom")
    expect(told.heard).toEqual([
      { type: "error", message: "boom", fatal: false },
      { type: "stream_end", finish_reason: "error" },
      { type: "message_added", message: { role: "assistant", content: "Hal", created_at: 0 } },
      { type: "message_added", message: { role: "system", content: "The turn failed: boom", created_at: 0 } },
      { type: "status_update", status: "Error: boom" },
    ])
  })

  it("that was interrupted cancels its calls, ends once and keeps what was said", () => {
    const told = new ToldView().prompted().text("Look.").textEnded("Look.").called("cal_1").called("cal_2").forget()
    told.toolEnded("cal_1", "Cancelled. It had begun.", "cancelled").toolEnded("cal_2", "Cancelled.", "cancelled")
    told.ended("interrupted").text("late")
    expect(told.heard).toEqual([
      { type: "tool_result", id: "cal_1", name: "bash", output: null, error: "Cancelled" },
      { type: "tool_result", id: "cal_2", name: "bash", output: null, error: "Cancelled" },
      { type: "stream_end", finish_reason: "cancelled" },
      { type: "message_added", message: { role: "assistant", content: "Look.", created_at: 0 } },
      { type: "message_added", message: { role: "system", content: "Interrupted by you.", created_at: 0 } },
      { type: "status_update", status: "Cancelled" },
    ])
  })

  it("without a word has an end and no message", () => {
    const told = new ToldView().prompted().forget().ended()
    expect(told.types).toEqual(["stream_end", "status_update"])
  })

  it("that thinks says so in the status line until it speaks", () => {
    const told = new ToldView().prompted().forget()
    told.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "hm" })
    told.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "m" }).text("Yes", 1).text("!", 1)
    expect(told.types).toEqual(["status_update", "status_update", "stream_chunk", "stream_chunk"])
    expect(told.statuses).toEqual(["Thinking...", "Streaming response..."])
  })
})

describe("a prompt", () => {
  const busy = () => new ToldView().prompted().forget()

  it("that comes while a turn runs is queued, and shown when its time has come", () => {
    const told = busy().event({
      type: "prompt.admitted",
      promptId: "prm_9",
      text: "later",
      delivery: "next-turn",
      by: viewer,
    })
    expect(told.heard).toEqual([{ type: "ack", command: "queue_message" }])
    expect(told.listed).toEqual(["user: hi"])
    told.forget().ended()
    told.event({ type: "turn.started", turnId: "trn_9" })
    told.event({ type: "prompt.promoted", promptId: "prm_9", turnId: "trn_9" })
    expect(told.added).toEqual(["user: later"])
    expect(told.statuses).toEqual(["Ready - Model: m1", "Processing queued message..."])
  })

  it("that is to slip in is acknowledged as queued also when nothing runs", () => {
    const prompt = { promptId: "prm_9", text: "x", delivery: "next-boundary", by: viewer } as const
    const told = new ToldView().event({ type: "prompt.admitted", ...prompt })
    expect(told.heard).toEqual([{ type: "ack", command: "queue_message" }])
  })

  it("from another door has no acknowledgement here and shows all the same", () => {
    const told = new ToldView().prompted("hi", { principal: "you", door: "house" })
    expect(told.types).toEqual(["message_added", "status_update"])
  })

  it("that is dropped is told with the reason", () => {
    const told = busy().event(
      { type: "prompt.admitted", promptId: "prm_9", text: "x", delivery: "next-turn", by: viewer },
      { type: "prompt.withdrawn", promptId: "prm_9", reason: "the session was ended" },
    )
    expect(told.heard.at(-1)).toEqual({
      type: "toast",
      message: "A queued message was dropped: the session was ended",
      duration_ms: 3000,
    })
  })
})

describe("a question to a person", () => {
  const asked = () =>
    new ToldView().prompted().called("cal_1", "bash", { command: "rm x" }).forget().event({
      type: "approval.requested",
      approvalId: "apr_1",
      callId: "cal_1",
      tool: "bash",
      digest: "d",
      reason: "It is unsafe.",
      audience: "driver",
    })
  const words = [
    'Approval needed: bash {"command":"rm x"}',
    "Reason: It is unsafe.",
    "Answer y, n or always (yes, and to the same call in this session), or /approve apr_1 or /deny apr_1",
  ].join("\n")

  it("stands in the conversation with what to type, and waits in the list", () => {
    const told = asked()
    expect(told.heard).toEqual([
      { type: "toast", message: "Approval needed: bash", duration_ms: 3000 },
      { type: "message_added", message: { role: "system", content: words, created_at: 0 } },
      { type: "status_update", status: "Waiting for approval: bash" },
    ])
    const request = {
      approvalId: "apr_1",
      sessionId,
      tool: "bash",
      input: { command: "rm x" },
      reason: "It is unsafe.",
    }
    expect(told.view.requests).toEqual([{ ...request, digest: "d", seq: told.view.seq }])
  })

  it("is told who decided it", () => {
    const told = asked().forget()
    told.event({ type: "approval.decided", approvalId: "apr_1", outcome: "approved", by: viewer })
    expect(told.added).toEqual(["system: Approved by you: bash (apr_1)"])
    expect(told.statuses).toEqual(["⚙️ Executing: bash..."])
    expect(told.view.requests).toEqual([])
  })

  it("of a descendant is told and decided here too", () => {
    const question = { tool: "bash", input: {}, digest: "d", reason: "Why not.", audience: "driver" } as const
    const told = new ToldView()
    told.event({ type: "child.asked", childId, sessionId: childId, approvalId: "apr_2", ...question })
    expect(told.added[0]).toContain(`Approval needed by agent ${childId}: bash {}`)
    told.forget().event({ type: "child.answered", childId, approvalId: "apr_2", outcome: "denied", by: viewer })
    expect(told.added).toEqual(["system: Denied by you: bash (apr_2)"])
    expect(told.statuses).toEqual(["Ready - Model: m1"])
  })

  it("of a descendant that was asked before the view began is known", () => {
    const question = { tool: "bash", input: {}, digest: "d", reason: "Why not.", audience: "driver" } as const
    const event = { type: "child.asked", childId, sessionId: childId, approvalId: "apr_2", ...question } as const
    const told = new ToldView({ ...emptySnapshot, asked: [event] })
    expect(told.view.requests).toMatchObject([{ approvalId: "apr_2", sessionId: childId }])
    expect(told.listed[0]).toContain("/approve apr_2")
    told.event({ type: "context.cleared", by: viewer })
    expect(told.listed).toHaveLength(1)
  })
})

describe("a tool", () => {
  it("that was refused or whose outcome is unknown has an error, and people are told of the latter", () => {
    const told = new ToldView().prompted().called("cal_1").called("cal_2").forget()
    told.event({ type: "tool.refused", callId: "cal_1", by: "policy", reason: "No." })
    told.event({ type: "tool.unsettled", callId: "cal_2", evidence: "The host ended." })
    const results = told.heard.filter(({ type }) => type === "tool_result")
    expect(results).toEqual([
      { type: "tool_result", id: "cal_1", name: "bash", output: null, error: "No." },
      {
        type: "tool_result",
        id: "cal_2",
        name: "bash",
        output: null,
        error: "The outcome is unknown. The host ended.",
      },
    ])
    expect(told.added).toEqual(["system: The outcome of bash is unknown: The host ended."])
  })

  it("tells its progress at most four times a second, and its last state in any case", () => {
    const told = new ToldView().prompted().called("cal_1").forget()
    const progress = (fraction: number) =>
      told.delta({ type: "tool.progressed", callId: "cal_1", message: `${fraction}`, fraction })
    for (const part of [0.1, 0.2, 0.3]) progress(part)
    expect(told.heard).toEqual([{ type: "tool_progress", name: "bash", message: "0.1", progress: 0.1 }])
    expect(told.view.dueAt).toBe(250)
    expect(told.view.due(249)).toEqual([])
    told.now = 250
    told.forget().text("x")
    expect(told.heard).toEqual([
      { type: "tool_progress", name: "bash", message: "0.3", progress: 0.3 },
      { type: "stream_chunk", text: "x" },
    ])
    progress(0.4)
    expect(told.view.dueAt).toBe(500)
    told.toolEnded("cal_1")
    expect(told.view.dueAt).toBeUndefined()
    expect(told.view.due(1000)).toEqual([])
  })
})

describe("one who comes in", () => {
  it("is greeted with the list, the tasks, the seal, and the text so far", () => {
    const told = new ToldView().prompted().text("Hel")
    expect(told.view.greeting()).toEqual([
      {
        type: "conversation_sync",
        session_id: sessionId,
        model: "m1",
        messages: [{ role: "user", content: "hi", created_at: 0 }],
        status: "Streaming response...",
        is_busy: true,
        tool_mode: "Smart",
        mcp_servers: [],
      },
      { type: "task_update", task_tree: "No tasks", task_count: 0, completed_count: 0 },
      { type: "seal_status", enabled: false, entity_count: 0, last_resolution: null, quality_score: 1 },
      { type: "stream_chunk", text: "Hel" },
    ])
    expect(told.view.sync().map(({ type }) => type)).toEqual(["conversation_sync", "task_update"])
  })

  it("does not hear again what the house says at the beginning of a watch", () => {
    const told = new ToldView().prompted().text("Hel").forget()
    const blocks = [{ block: 0, kind: "text", text: "Hello" } as const]
    told.item({ kind: "streamed", stepId: "stp_1", blocks })
    expect(told.heard).toEqual([{ type: "stream_chunk", text: "lo" }])
  })

  it("finds the agent described beside its socket, in seconds", () => {
    const told = new ToldView().prompted()
    expect(told.view.metadata(42, 1_700_000_000_999)).toEqual({
      session_id: sessionId,
      parent_agent_id: null,
      spawn_reason: null,
      model: "m1",
      created_at: Math.floor(0x0189f7a00000 / 1000),
      last_activity: 1_700_000_000,
      working_directory: "/folder",
      is_busy: true,
      pid: 42,
    })
  })
})

describe("text", () => {
  it("goes on in the same word when a step continues one that was cut off", () => {
    const told = new ToldView().prompted().text("Hel").textEnded("Hel", 0, true).step("stp_1").text("lo")
    expect(told.textEnded("lo").ended().chunks).toBe("Hello")
    expect(told.added.at(-1)).toBe("assistant: Hello")
  })

  it("never comes in halves of a character", () => {
    const told = new ToldView().prompted().text("a\ud83d").text("\ude00b")
    expect(told.heard.slice(-2)).toEqual([
      { type: "stream_chunk", text: "a" },
      { type: "stream_chunk", text: "😀b" },
    ])
  })

  it("that turns out to be less than was told is told anew from the beginning", () => {
    const told = new ToldView().prompted().text("Hello wor").forget().textEnded("Hello", 0, true)
    expect(told.types).toEqual(["conversation_sync", "task_update", "seal_status", "stream_chunk"])
    expect(told.step("stp_1").text(" you").textEnded(" you").chunks).toBe("Hello you")
    expect(told.ended().added).toEqual(["assistant: Hello you"])
  })
})

describe("a session that is lost", () => {
  it("is a fault for its viewers, unless its host just leaves", () => {
    const told = new ToldView().item({ kind: "lost", refusal: { code: "host.gone" } })
    expect(told.heard).toEqual([])
    told.item({ kind: "lost", refusal: { code: "log.unavailable", what: "the disk is full" } })
    expect(told.heard).toMatchObject([{ type: "error", fatal: true }])
  })
})
