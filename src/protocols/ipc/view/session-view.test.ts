import { describe, expect, it } from "vitest"
import { frameLimits } from "../limits.ts"
import { metadataOf } from "../agent-descriptions.ts"
import { childId, emptySnapshot, sessionId, ViewRecorder, viewer } from "./fixtures/view-recorder.ts"

describe("a turn", () => {
  it("of text alone is sent in the order of the protocol", () => {
    const recorder = new ViewRecorder().prompted("hi").text("Hel").text("lo").textEnded("Hello").ended()
    expect(recorder.sent).toEqual([
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

  it("with a tool sends the call and its result between the text, which becomes one message", () => {
    const recorder = new ViewRecorder()
      .prompted("hi")
      .text("Look.")
      .textEnded("Look.")
      .called("cal_1", "read", { path: "a" })
    recorder.toolEnded("cal_1", "x").step().text("Done.").textEnded("Done.").ended()
    expect(recorder.sent.slice(3)).toEqual([
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

  it("that failed has one error, one end, its text and the reason", () => {
    const recorder = new ViewRecorder().prompted().text("Hal").reset().textEnded("Hal", 0, true).ended("failed", "boom")
    expect(recorder.sent).toEqual([
      { type: "error", message: "boom", fatal: false },
      { type: "stream_end", finish_reason: "error" },
      { type: "message_added", message: { role: "assistant", content: "Hal", created_at: 0 } },
      { type: "message_added", message: { role: "system", content: "The turn failed: boom", created_at: 0 } },
      { type: "status_update", status: "Error: boom" },
    ])
  })

  it("that was interrupted cancels its calls, ends once and keeps its text", () => {
    const recorder = new ViewRecorder()
      .prompted()
      .text("Look.")
      .textEnded("Look.")
      .called("cal_1")
      .called("cal_2")
      .reset()
    recorder.toolEnded("cal_1", "Cancelled. It had begun.", "cancelled").toolEnded("cal_2", "Cancelled.", "cancelled")
    recorder.ended("interrupted").text("late")
    expect(recorder.sent).toEqual([
      { type: "tool_result", id: "cal_1", name: "bash", output: null, error: "Cancelled" },
      { type: "tool_result", id: "cal_2", name: "bash", output: null, error: "Cancelled" },
      { type: "stream_end", finish_reason: "cancelled" },
      { type: "message_added", message: { role: "assistant", content: "Look.", created_at: 0 } },
      { type: "message_added", message: { role: "system", content: "Interrupted by you.", created_at: 0 } },
      { type: "status_update", status: "Cancelled" },
    ])
  })

  it("without text has an end and no message", () => {
    const recorder = new ViewRecorder().prompted().reset().ended()
    expect(recorder.types).toEqual(["stream_end", "status_update"])
  })

  it("shows in the status line that the model thinks, until text comes", () => {
    const recorder = new ViewRecorder().prompted().reset()
    recorder.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "hm" })
    recorder.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "m" }).text("Yes", 1).text("!", 1)
    expect(recorder.types).toEqual(["status_update", "status_update", "stream_chunk", "stream_chunk"])
    expect(recorder.statuses).toEqual(["Thinking...", "Streaming response..."])
  })
})

describe("a prompt", () => {
  const busy = () => new ViewRecorder().prompted().reset()

  it("is queued during a turn, and shown when its own turn starts", () => {
    const recorder = busy().event({
      type: "prompt.admitted",
      promptId: "prm_9",
      text: "later",
      delivery: "next-turn",
      by: viewer,
    })
    expect(recorder.sent).toEqual([{ type: "ack", command: "queue_message" }])
    expect(recorder.listed).toEqual(["user: hi"])
    recorder.reset().ended()
    recorder.event({ type: "turn.started", turnId: "trn_9" })
    recorder.event({ type: "prompt.promoted", promptId: "prm_9", turnId: "trn_9" })
    expect(recorder.added).toEqual(["user: later"])
    expect(recorder.statuses).toEqual(["Ready - Model: m1", "Processing queued message..."])
  })

  it("for the running turn is acknowledged as queued also when none runs", () => {
    const prompt = { promptId: "prm_9", text: "x", delivery: "next-boundary", by: viewer } as const
    const recorder = new ViewRecorder().event({ type: "prompt.admitted", ...prompt })
    expect(recorder.sent).toEqual([{ type: "ack", command: "queue_message" }])
  })

  it("from another door is shown without an acknowledgement", () => {
    const recorder = new ViewRecorder().prompted("hi", { principal: "you", door: "house" })
    expect(recorder.types).toEqual(["message_added", "status_update"])
  })

  it("that is dropped is reported with the reason", () => {
    const recorder = busy().event(
      { type: "prompt.admitted", promptId: "prm_9", text: "x", delivery: "next-turn", by: viewer },
      { type: "prompt.withdrawn", promptId: "prm_9", reason: "the session was ended" },
    )
    expect(recorder.sent.at(-1)).toEqual({
      type: "toast",
      message: "A queued message was dropped: the session was ended",
      duration_ms: 3000,
    })
  })
})

describe("an approval", () => {
  const requested = () =>
    new ViewRecorder().prompted().called("cal_1", "bash", { command: "rm x" }).reset().event({
      type: "approval.requested",
      approvalId: "apr_1",
      callId: "cal_1",
      tool: "bash",
      digest: "d",
      reason: "It is unsafe.",
      audience: "driver",
    })
  const text = [
    'Approval needed: bash {"command":"rm x"}',
    "Reason: It is unsafe.",
    "Answer y, n or always (yes, and to the same call in this session), or /approve apr_1 or /deny apr_1",
  ].join("\n")

  it("is a message of the conversation with the text to type, and is pending", () => {
    const recorder = requested()
    expect(recorder.sent).toEqual([
      { type: "toast", message: "Approval needed: bash", duration_ms: 3000 },
      { type: "message_added", message: { role: "system", content: text, created_at: 0 } },
      { type: "status_update", status: "Waiting for approval: bash" },
    ])
    const request = {
      approvalId: "apr_1",
      sessionId,
      tool: "bash",
      input: { command: "rm x" },
      reason: "It is unsafe.",
    }
    expect(recorder.view.requests).toMatchObject([{ ...request, digest: "d", seq: recorder.view.seq }])
  })

  it("shows who decided it", () => {
    const recorder = requested().reset()
    recorder.event({ type: "approval.decided", approvalId: "apr_1", outcome: "approved", by: viewer })
    expect(recorder.added).toEqual(["system: Approved by you: bash (apr_1)"])
    expect(recorder.statuses).toEqual(["⚙️ Executing: bash..."])
    expect(recorder.view.requests).toEqual([])
  })

  it("of an MCP server is shown with its name and without control characters, and is asked about once", () => {
    const prompt = { messages: [{ role: "user" as const, text: "Say \u202ehi" }], maxTokens: 5 }
    const server = { name: "shop", wants: "model" as const, prompt }
    const reason = "MCP server 'shop' wants an answer."
    const about = { callId: "cal_1", tool: "sampling", digest: "d", reason, audience: "driver" } as const
    const recorder = new ViewRecorder().prompted().called("cal_1").reset()
    recorder.event({ type: "approval.requested", approvalId: "apr_1", ...about, server })
    expect(recorder.added[0]).toContain('Approval needed: sampling {"server":"shop","messages":[{"role":"user"')
    expect(recorder.added[0]).toContain("Say \\u202ehi")
    expect(recorder.added[0]).toContain("Answer y or n, or /approve apr_1 or /deny apr_1")
    recorder.reset().event({ type: "approval.decided", approvalId: "apr_1", outcome: "void" })
    expect(recorder.statuses).toEqual(["⚙️ Executing: bash..."])
  })

  it("that is a question of an MCP server says who asks", () => {
    const about = { callId: "cal_1", tool: "elicitation", digest: "d", audience: "driver" } as const
    const reason = "MCP server 'shop' asks: Your size? (Your answer goes to the server.)"
    const questions = [{ question: "Size", options: [{ label: "S" }] }]
    const recorder = new ViewRecorder().prompted().called("cal_1").reset()
    const server = { name: "shop", wants: "answers" as const }
    recorder.event({ type: "approval.requested", approvalId: "apr_1", ...about, reason, questions, server })
    expect(recorder.added[0]).toContain(`Question: ${reason}\nSize\n  1. S`)
    expect(recorder.sent[0]).toMatchObject({ type: "toast", message: `Question: ${reason}` })
  })

  it("of a descendant is shown and decided here too", () => {
    const question = { tool: "bash", input: {}, digest: "d", reason: "Why not.", audience: "driver" } as const
    const recorder = new ViewRecorder()
    recorder.event({ type: "child.asked", childId, sessionId: childId, approvalId: "apr_2", ...question })
    expect(recorder.added[0]).toContain(`Approval needed by agent ${childId}: bash {}`)
    recorder.reset().event({ type: "child.answered", childId, approvalId: "apr_2", outcome: "denied", by: viewer })
    expect(recorder.added).toEqual(["system: Denied by you: bash (apr_2)"])
    expect(recorder.statuses).toEqual(["Ready - Model: m1"])
  })

  it("of a descendant is pending also when it was requested before the view started", () => {
    const question = { tool: "bash", input: {}, digest: "d", reason: "Why not.", audience: "driver" } as const
    const event = { type: "child.asked", childId, sessionId: childId, approvalId: "apr_2", ...question } as const
    const recorder = new ViewRecorder({ ...emptySnapshot, asked: [event] })
    expect(recorder.view.requests).toMatchObject([{ approvalId: "apr_2", sessionId: childId }])
    expect(recorder.listed[0]).toContain("/approve apr_2")
    recorder.event({ type: "context.cleared", by: viewer })
    expect(recorder.listed).toHaveLength(1)
  })
})

describe("a tool", () => {
  it("has an error when it was refused or its outcome is unknown, with a notice of the latter", () => {
    const recorder = new ViewRecorder().prompted().called("cal_1").called("cal_2").reset()
    recorder.event({ type: "tool.refused", callId: "cal_1", by: "policy", reason: "No." })
    recorder.event({ type: "tool.unsettled", callId: "cal_2", evidence: "The host ended." })
    const results = recorder.sent.filter(({ type }) => type === "tool_result")
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
    expect(recorder.added).toEqual(["system: The outcome of bash is unknown: The host ended."])
  })

  it("sends progress at most four times a second, and the last state in any case", () => {
    const recorder = new ViewRecorder().prompted().called("cal_1").reset()
    const progress = (fraction: number) =>
      recorder.delta({ type: "tool.progressed", callId: "cal_1", message: `${fraction}`, fraction })
    for (const part of [0.1, 0.2, 0.3]) progress(part)
    expect(recorder.sent).toEqual([{ type: "tool_progress", name: "bash", message: "0.1", progress: 0.1 }])
    expect(recorder.view.dueAt).toBe(250)
    expect(recorder.view.due(249)).toEqual([])
    recorder.now = 250
    recorder.reset().text("x")
    expect(recorder.sent).toEqual([
      { type: "tool_progress", name: "bash", message: "0.3", progress: 0.3 },
      { type: "stream_chunk", text: "x" },
    ])
    progress(0.4)
    expect(recorder.view.dueAt).toBe(500)
    recorder.toolEnded("cal_1")
    expect(recorder.view.dueAt).toBeUndefined()
    expect(recorder.view.due(1000)).toEqual([])
  })
})

describe("the output of a running tool", () => {
  const output = (from: number, text: string) =>
    ({ type: "tool.progressed", callId: "cal_1", message: "", output: { from, text } }) as const

  it("is sent as the last lines of it, so that the newest frame replaces the others", () => {
    const recorder = new ViewRecorder().prompted().called("cal_1").reset()
    recorder.delta(output(0, "one\ntwo\n"))
    recorder.now = 250
    recorder.delta(output(8, Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("")))
    const messages = recorder.sent.map((frame) => (frame.type === "tool_progress" ? frame.message : frame.type))
    const last = Array.from({ length: frameLimits.progressLines }, (_, index) => `line ${index + 12}`)
    expect(messages).toEqual(["one\ntwo", last.join("\n")])
  })

  it("is sent to a viewer that joins, while the call runs", () => {
    const recorder = new ViewRecorder().prompted().called("cal_1")
    recorder.delta(output(0, "one\n"))
    const frame = { type: "tool_progress", name: "bash", message: "one", progress: null }
    expect(recorder.view.joinMessages().at(-1)).toEqual(frame)
    recorder.toolEnded("cal_1")
    expect(recorder.view.progressFrames).toEqual([])
  })
})

describe("a viewer that joins", () => {
  it("gets the list, the tasks, the reference status and the text so far", () => {
    const recorder = new ViewRecorder().prompted().text("Hel")
    expect(recorder.view.joinMessages()).toEqual([
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
    expect(recorder.view.syncMessages().map(({ type }) => type)).toEqual(["conversation_sync", "task_update"])
  })

  it("does not get text twice when the watch starts with the text so far", () => {
    const recorder = new ViewRecorder().prompted().text("Hel").reset()
    const blocks = [{ block: 0, kind: "text", text: "Hello" } as const]
    recorder.item({ kind: "streamed", stepId: "stp_1", blocks })
    expect(recorder.sent).toEqual([{ type: "stream_chunk", text: "lo" }])
  })

  it("is described beside its socket, with times in seconds", () => {
    const { status } = new ViewRecorder().prompted().view
    expect(metadataOf(sessionId, status, { pid: 42, now: 1_700_000_000_999 })).toEqual({
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
  it("continues in the same word when a step continues one that was cut off", () => {
    const recorder = new ViewRecorder().prompted().text("Hel").textEnded("Hel", 0, true).step("stp_1").text("lo")
    expect(recorder.textEnded("lo").ended().chunks).toBe("Hello")
    expect(recorder.added.at(-1)).toBe("assistant: Hello")
  })

  it("never splits a character", () => {
    const recorder = new ViewRecorder().prompted().text("a\ud83d").text("\ude00b")
    expect(recorder.sent.slice(-2)).toEqual([
      { type: "stream_chunk", text: "a" },
      { type: "stream_chunk", text: "😀b" },
    ])
  })

  it("is sent anew when more was sent than is stored", () => {
    const recorder = new ViewRecorder().prompted().text("Hello wor").reset().textEnded("Hello", 0, true)
    expect(recorder.types).toEqual(["conversation_sync", "task_update", "seal_status", "stream_chunk"])
    expect(recorder.step("stp_1").text(" you").textEnded(" you").chunks).toBe("Hello you")
    expect(recorder.ended().added).toEqual(["assistant: Hello you"])
  })
})

describe("a lost session", () => {
  it("is a fatal error for its viewers, unless its host exits", () => {
    const recorder = new ViewRecorder().item({ kind: "lost", refusal: { code: "host.gone" } })
    expect(recorder.sent).toEqual([])
    recorder.item({ kind: "lost", refusal: { code: "log.unavailable", what: "the disk is full" } })
    expect(recorder.sent).toMatchObject([{ type: "error", fatal: true }])
  })
})
