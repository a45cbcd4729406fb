import { finishSentence } from "../../contract/text/finish-sentence.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ReadFrames, you } from "./fixtures/read-frames.ts"

const childId = "01890000-0000-7000-8000-000000000002"

describe("a turn of the parent", () => {
  it("is sent as deltas and closes with agent_end, then its response", () => {
    const read = new ReadFrames().prompted().textDelta("Hel").textDelta("lo").textDelta("")
    read.event({ type: "text.ended", stepId: "stp_1", block: 0, text: "Hello" }).answered().ended()
    expect(read.names).toEqual(["text_delta", "text_delta", "agent_end", "response"])
    expect(read.frames.slice(-2)).toEqual([
      {
        type: "agent_end",
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          model: "m",
        },
      },
      { type: "response", id: "1", command: "prompt", ok: true },
    ])
  })

  it("is over before the first frame of its close is written", () => {
    const busy: boolean[] = []
    const read: ReadFrames = new ReadFrames({
      sink: { frame: () => busy.push(read.view.isBusy), delta: () => {} },
    })
    read.prompted()
    expect(read.view.isBusy).toBe(true)
    read.ended()
    expect(busy).toEqual([false, false])
  })

  it("that was interrupted is cancelled, without an error", () => {
    const read = new ReadFrames().prompted().textDelta("Hal").ended("interrupted")
    expect(read.names).toEqual(["text_delta", "agent_end", "response"])
    expect(read.frames.at(-1)).toMatchObject({ ok: true, cancelled: true })
  })

  it("that failed sends an error, then closes with the same text", () => {
    const read = new ReadFrames().prompted().ended("failed", "No connection.")
    expect(read.frames).toEqual([
      { type: "error", id: "1", message: "No connection." },
      expect.objectContaining({ type: "agent_end" }),
      { type: "response", id: "1", command: "prompt", ok: false, error: "No connection." },
    ])
  })

  it.each(["length", "content-filter", "refusal", "empty"] as const)(
    "whose answer ended by %s closes with that reason",
    (finish) => {
      const read = new ReadFrames().prompted().event({ type: "turn.ended", turnId: "trn_1", reason: "done", finish })
      expect(read.frames.at(-1)).toEqual({
        type: "response",
        id: "1",
        command: "prompt",
        ok: false,
        error: finishSentence(finish),
      })
    },
  )

  it("that failed after the parent has given up waiting sends no error", () => {
    const read = new ReadFrames().prompted()
    read.at = 55_001
    expect(read.ended("failed", "No connection.").names).toEqual(["agent_end", "response"])
  })

  it("that is parked for good fails with the reason when it is interrupted", () => {
    const read = new ReadFrames().prompted()
    read.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "The budget is spent." })
    expect(read.view.isStuck).toBe(true)
    read.ended("interrupted")
    expect(read.frames.at(-1)).toMatchObject({ ok: false, error: "The budget is spent." })
  })

  it("of another door sends nothing, and the session is busy meanwhile", () => {
    const read = new ReadFrames()
      .event({ type: "turn.started", turnId: "trn_9" })
      .event({ type: "prompt.promoted", promptId: "prm_9", turnId: "trn_9" })
      .event({ type: "step.started", stepId: "stp_1", turnId: "trn_9", model: "m" })
      .textDelta("not for you")
    expect([read.view.inTurn, read.view.isBusy, read.view.isIdle]).toEqual([true, true, true])
    read.event({ type: "turn.ended", turnId: "trn_9", reason: "done" })
    expect([read.frames, read.view.isBusy]).toEqual([[], false])
  })

  it("fails when its session is lost", () => {
    const read = new ReadFrames().prompted().textDelta("Hal")
    read.view.item({ kind: "lost", refusal: { code: "host.gone" } })
    expect(read.names).toEqual(["text_delta", "error", "agent_end", "response"])
  })

  it("whose prompt was withdrawn is answered with an error", () => {
    const read = new ReadFrames()
    read.view.beginTurn({ id: "1", command: "prompt", promptId: "prm_1", at: 0 })
    read.event({ type: "prompt.withdrawn", promptId: "prm_1", reason: "the session was ended" })
    expect(read.frames).toEqual([expect.objectContaining({ type: "error", id: "1" })])
    expect(read.view.isBusy).toBe(false)
  })

  it("of a queued prompt closes without a response", () => {
    const read = new ReadFrames().prompted()
    read.view.queue("prm_2")
    read
      .ended()
      .event({ type: "turn.started", turnId: "trn_2" })
      .event({ type: "prompt.promoted", promptId: "prm_2", turnId: "trn_2" })
      .event({ type: "step.started", stepId: "stp_2", turnId: "trn_2", model: "m" })
      .delta({ type: "text.delta", stepId: "stp_2", block: 0, delta: "more" })
      .event({ type: "turn.ended", turnId: "trn_2", reason: "done" })
    expect(read.names).toEqual(["agent_end", "response", "text_delta", "agent_end"])
  })
})

describe("text", () => {
  it("is sent completely and once, wherever deltas were missed and characters were split", () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(text, fc.array(fc.nat(120), { maxLength: 8 }), fc.nat(8), fc.nat(8), (whole, cuts, from, to) => {
        const read = new ReadFrames().prompted()
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length]
        places.slice(1).forEach((end, index) => {
          const isMissed = index >= Math.min(from, to) && index < Math.max(from, to)
          if (!isMissed) {
            if (index === Math.max(from, to)) {
              read.view.gap()
              read.streamed("stp_1", { block: 0, kind: "text", text: whole.slice(0, places[index]) })
            }
            read.textDelta(whole.slice(places[index], end))
          }
        })
        read.event({ type: "text.ended", stepId: "stp_1", block: 0, text: whole })
        expect(read.text).toBe(whole)
        expect(read.frames.every((frame) => !/[\ud800-\udbff]$/.test(deltaOf(frame)))).toBe(true)
      }),
    )
  })

  it("that comes as one large delta is sent in frames below 256 KiB", () => {
    const read = new ReadFrames().prompted().textDelta("🎈".repeat(100_000))
    expect(read.text).toBe("🎈".repeat(100_000))
    expect(Math.max(...read.lines.map((line) => line.length))).toBeLessThan(256 * 1024)
    expect(read.lines.join("")).not.toContain("ufffd")
  })
})

function deltaOf(frame: ReadFrames["frames"][number]): string {
  return frame.type === "message_update" && "delta" in frame.event ? frame.event.delta : ""
}

describe("tool calls", () => {
  const piece = (callId: `cal_${string}`, delta: string) =>
    ({ type: "tool-input.delta", stepId: "stp_1", callId, tool: "t", delta }) as const
  const called = (callId: `cal_${string}`, input = {}) =>
    ({ type: "tool.called", stepId: "stp_1", callId, tool: "t", input }) as const

  it("have a start, input deltas, an input and a result", () => {
    const read = new ReadFrames()
      .prompted()
      .delta(piece("cal_1", ""), piece("cal_1", '{"a"'), piece("cal_1", ":1}"))
      .event(called("cal_1", { a: 1 }))
      .answered()
      .event({ type: "tool.ended", callId: "cal_1", outcome: "failed", output: "no" })
    expect(read.names).toEqual([
      "toolcall_start",
      "toolcall_input_delta",
      "toolcall_input_delta",
      "toolcall_input",
      "toolcall_result",
    ])
  })

  it("have no result before every input of their step", () => {
    const read = new ReadFrames()
      .prompted()
      .event(called("cal_1"), { type: "tool.refused", callId: "cal_1", by: "input", reason: "bad" })
      .event(called("cal_2"))
      .answered()
      .event({ type: "tool.ended", callId: "cal_2", outcome: "done", output: "2" })
    expect(read.names).toEqual([
      "toolcall_start",
      "toolcall_input",
      "toolcall_start",
      "toolcall_input",
      "toolcall_result",
      "toolcall_result",
    ])
    expect(read.lines[4]).toContain("cal_1")
  })

  it("with incomplete input are closed with the turn", () => {
    const read = new ReadFrames().prompted().delta(piece("cal_1", ""), piece("cal_1", '{"a')).ended("interrupted")
    expect(read.names).toEqual(["toolcall_start", "toolcall_input_delta", "toolcall_result", "agent_end", "response"])
  })

  it("get the rest of their input when deltas were missed", () => {
    const read = new ReadFrames().prompted().delta(piece("cal_1", ""), piece("cal_1", '{"a"'))
    read.view.gap()
    read.event(called("cal_1", { a: [1, 2] }))
    expect(read.frames.map(deltaOf).join("")).toBe('{"a":[1,2]}')
  })
})

describe("sub-agents", () => {
  const spawned = { type: "child.spawned", childId, task: "x".repeat(100), reason: "scout" } as const

  it("have a number, a preview and one end, also when they fail", () => {
    const read = new ReadFrames().prompted().event(spawned)
    read.at = 2500
    read
      .event({ type: "child.ended", childId, outcome: "failed", result: "It broke.", costUsd: 0, tokens: 0 })
      .delta({ type: "child.progressed", childId, status: "late" })
      .ended()
    expect(read.frames.slice(0, 2)).toEqual([
      { type: "subagent_start", subagent_id: 1, agent_name: "scout", task_preview: "x".repeat(80) },
      {
        type: "subagent_done",
        subagent_id: 1,
        agent_name: "scout",
        result_preview: "ERROR: It broke.",
        duration_secs: 2.5,
      },
    ])
    expect(read.names.slice(2)).toEqual(["agent_end", "response"])
  })

  it("that are still running are done before the turn ends", () => {
    const read = new ReadFrames().prompted().event(spawned).ended("interrupted")
    expect(read.names).toEqual(["subagent_start", "subagent_done", "agent_end", "response"])
    expect(read.frames[1]).toMatchObject({ result_preview: "ERROR: canceled" })
  })

  it("show the approvals that their own calls wait for", () => {
    const read = new ReadFrames({ extended: true }).prompted().event(spawned, {
      type: "child.asked",
      childId,
      sessionId: childId,
      approvalId: "apr_2",
      tool: "bash",
      input: { command: "ls" },
      digest: "d",
      reason: "r",
      audience: "driver",
      expiresAt: 45_000,
    })
    read.event({ type: "child.answered", childId, approvalId: "apr_2", outcome: "expired" })
    expect(read.frames.slice(1)).toEqual([
      expect.objectContaining({ type: "subagent_update", subagent_id: 1, status: "awaiting_approval apr_2" }),
      { type: "approval", approval_id: "apr_2", tool_name: "bash", input: { command: "ls" }, expires_at: 45_000 },
      expect.objectContaining({ type: "subagent_update", subagent_id: 1, status: "ERROR: no answer in 45 s" }),
    ])
  })
})

describe("a request for approval", () => {
  const requested = {
    type: "approval.requested",
    approvalId: "apr_1",
    callId: "cal_1",
    tool: "bash",
    digest: "d",
    reason: "it is listed",
    audience: "driver",
    expiresAt: 45_000,
  } as const

  it.each([
    ["approved", "approved by you"],
    ["denied", "ERROR: denied by you"],
    ["expired", "ERROR: no answer in 45 s"],
    ["void", "ERROR: canceled"],
  ] as const)("that is %s looks like a sub-agent that ends so", (outcome, preview) => {
    const read = new ReadFrames().prompted().event(requested, {
      type: "approval.decided",
      approvalId: "apr_1",
      outcome,
      by: you,
    })
    expect(read.frames).toEqual([
      expect.objectContaining({ type: "subagent_start", agent_name: "approval", task_preview: "bash: it is listed" }),
      expect.objectContaining({ type: "subagent_update", status: "awaiting_approval apr_1" }),
      expect.objectContaining({ type: "subagent_done", result_preview: preview }),
    ])
  })

  it.each([
    ["approved", "SQLite", "answered by you: SQLite"],
    ["denied", undefined, "ERROR: declined by you"],
    ["expired", undefined, "ERROR: no answer in 45 s"],
  ] as const)("that is a question and is %s looks like a sub-agent too", (outcome, answer, preview) => {
    const options = [{ label: "PostgreSQL" }, { label: "SQLite" }]
    const question = { ...requested, tool: "ask", questions: [{ question: "Which?", options }] }
    const decided = { type: "approval.decided", approvalId: "apr_1", outcome, by: you, answer } as const
    expect(new ReadFrames().prompted().event(question, decided).frames).toEqual([
      expect.objectContaining({ agent_name: "question", task_preview: "Which?\n  1. PostgreSQL\n  2. SQLite" }),
      expect.objectContaining({ type: "subagent_update", status: "awaiting_answer apr_1" }),
      expect.objectContaining({ type: "subagent_done", result_preview: preview }),
    ])
  })

  it("of an MCP server is previewed with the server's name", () => {
    const reason = "MCP server 'shop' asks: Your size? (Your answer goes to the server.)"
    const server = { name: "shop", wants: "answers" as const }
    const question = {
      ...requested,
      tool: "elicitation",
      reason,
      server,
      questions: [{ question: "Size", options: [] }],
    }
    expect(new ReadFrames().prompted().event(question).frames[0]).toMatchObject({ task_preview: `${reason}\nSize` })
    expect(new ReadFrames({ extended: true }).prompted().event(question).frames.at(-1)).toEqual({
      type: "approval",
      approval_id: "apr_1",
      tool_name: "elicitation",
      input: { server: "shop" },
      reason,
      questions: [{ question: "Size", options: [] }],
      expires_at: 45_000,
    })
  })

  it("shows what would run, also when a hook has changed it, with --extended", () => {
    const read = new ReadFrames({ extended: true })
      .prompted()
      .event({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: { command: "rm" } })
      .answered()
      .event({ type: "tool.modified", callId: "cal_1", input: { command: "ls" }, by: "hook" }, requested)
    expect(read.frames.at(-1)).toEqual({
      type: "approval",
      approval_id: "apr_1",
      tool_name: "bash",
      input: { command: "ls" },
      expires_at: 45_000,
    })
  })
})

describe("a compaction", () => {
  const started = { type: "compaction.started", compactionId: "cmp_1", why: "asked" } as const

  it("is answered with its summary", () => {
    const read = new ReadFrames()
    read.view.beginCompaction("c")
    expect(read.view.isBusy).toBe(true)
    read.event(started, { type: "context.compacted", compactionId: "cmp_1", summary: "Short.", upToSeq: 1 })
    expect(read.frames).toEqual([{ type: "response", id: "c", command: "compact", ok: true, summary: "Short." }])
    expect(read.view.isBusy).toBe(false)
  })

  it("that fails is answered with an error, and one that the parent did not request is not answered", () => {
    const read = new ReadFrames().event(started, { type: "compaction.failed", compactionId: "cmp_1", error: "no" })
    expect(read.frames).toEqual([])
    read.view.beginCompaction("c")
    read.event(started, { type: "compaction.failed", compactionId: "cmp_1", error: "no" })
    expect(read.frames).toEqual([{ type: "error", id: "c", message: "no" }])
  })
})
