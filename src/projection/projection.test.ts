import { describe, expect, it } from "vitest"
import type { EventOf, Recorded, SessionEvent } from "../contract/events.ts"
import type { PlanId } from "../contract/ids.ts"
import { contextItems, emptyContext, foldContext } from "./context.ts"
import { activityOf, foldStatus, noStatus, readStatus } from "./status.ts"
import { emptyTranscript, foldTranscript, trackOf } from "./transcript.ts"

const you = { principal: "you", door: "test" }

function recorded(events: readonly SessionEvent[]): readonly Recorded[] {
  return events.map((event, index) => ({ seq: index + 1, at: index * 10, event }))
}

const contextOf = (...events: readonly SessionEvent[]) => recorded(events).reduce(foldContext, emptyContext())
const transcriptOf = (...events: readonly SessionEvent[]) => recorded(events).reduce(foldTranscript, emptyTranscript())
const statusOf = (...events: readonly SessionEvent[]) => recorded(events).reduce(foldStatus, noStatus)

const admitted = (id: string, text: string): EventOf<"prompt.admitted"> => ({
  type: "prompt.admitted",
  promptId: `prm_${id}`,
  text,
  delivery: "next-turn",
  by: you,
})
const promoted = (id: string): SessionEvent => ({ type: "prompt.promoted", promptId: `prm_${id}`, turnId: "trn_1" })
const created: EventOf<"session.created"> = {
  type: "session.created",
  sessionId: "01890000-0000-7000-8000-000000000001",
  origin: "test",
  org: "local",
  owner: "you",
  preset: "careful",
  cwd: "/folder",
  model: "m",
  toolMode: "Smart",
  limits: { stepsPerTurn: 5, depth: 2, children: 2 },
  budget: {},
}
const turn: SessionEvent = { type: "turn.started", turnId: "trn_1" }
const step = (id: string, continues?: `stp_${string}`): SessionEvent => ({
  type: "step.started",
  stepId: `stp_${id}`,
  turnId: "trn_1",
  model: "m",
  continues,
})
const text = (id: string, said: string, interrupted?: boolean): SessionEvent => ({
  type: "text.ended",
  stepId: `stp_${id}`,
  block: 0,
  text: said,
  interrupted,
})
const called: SessionEvent = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "ls", input: {} }
const ended: SessionEvent = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "a.txt" }
const responded: SessionEvent = {
  type: "response.ended",
  stepId: "stp_1",
  model: "m",
  finish: "stop",
  usage: { input: 10, output: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 },
  costUsd: 0.25,
}
const done: SessionEvent = { type: "turn.ended", turnId: "trn_1", reason: "done" }
const asked: SessionEvent = {
  type: "approval.requested",
  approvalId: "apr_1",
  callId: "cal_1",
  tool: "ls",
  digest: "d",
  reason: "r",
  audience: "driver",
}

describe("the context", () => {
  it("holds a prompt once it is promoted", () => {
    expect(contextItems(contextOf(admitted("1", "hi")))).toEqual([])
    expect(contextItems(contextOf(admitted("1", "hi"), turn, promoted("1")))).toMatchObject([
      { kind: "user", text: "hi" },
    ])
  })

  it("pairs a call with its result in one item", () => {
    const items = contextItems(contextOf(turn, step("1"), text("1", "I look."), called, responded, ended))
    expect(items).toMatchObject([
      {
        kind: "assistant",
        parts: [{ text: "I look." }, { callId: "cal_1" }],
        results: { cal_1: { output: "a.txt", failed: false } },
      },
    ])
  })

  it("tells the model that an unsettled outcome is unknown", () => {
    const [item] = contextItems(
      contextOf(turn, step("1"), called, { type: "tool.unsettled", callId: "cal_1", evidence: "Gone." }),
    )
    expect(item).toMatchObject({ results: { cal_1: { failed: true, output: expect.stringContaining("unknown") } } })
  })

  it("joins cut-off text with its continuation", () => {
    const items = contextItems(
      contextOf(turn, step("1"), text("1", "once ", true), step("2", "stp_1"), text("2", "upon")),
    )
    expect(items).toMatchObject([{ kind: "assistant", parts: [{ text: "once upon", cutOff: false }] }])
  })

  it("replaces the compacted part by the summary and keeps later items", () => {
    const compacted: SessionEvent = {
      type: "context.compacted",
      compactionId: "cmp_1",
      summary: "they said hi",
      upToSeq: 4,
    }
    const items = contextItems(
      contextOf(
        admitted("1", "hi"),
        promoted("1"),
        step("1"),
        text("1", "hello"),
        admitted("2", "and?"),
        promoted("2"),
        compacted,
      ),
    )
    expect(items).toMatchObject([
      { kind: "summary", text: "they said hi" },
      { kind: "user", text: "and?" },
    ])
  })

  it("keeps a plan separate and adds its summary to the main conversation", () => {
    const plan: SessionEvent = { type: "plan.entered", planId: "pln_1", by: you }
    const inPlan = contextOf(admitted("1", "hi"), promoted("1"), plan, admitted("2", "plan this"), promoted("2"))
    expect(contextItems(inPlan)).toMatchObject([{ text: "plan this" }])
    foldContext(inPlan, { seq: 9, at: 0, event: { type: "plan.exited", planId: "pln_1", summary: "do it", by: you } })
    expect(contextItems(inPlan)).toMatchObject([{ text: "hi" }, { kind: "summary", of: "plan", text: "do it" }])
  })

  it("continues the plan that was left, and drops it for another plan or when it is cleared", () => {
    const enter = (planId: PlanId): SessionEvent => ({ type: "plan.entered", planId, by: you })
    const left: SessionEvent = { type: "plan.exited", planId: "pln_1", by: you }
    const cleared: SessionEvent = { type: "context.cleared", by: you }
    const events = [enter("pln_1"), admitted("1", "plan this"), promoted("1"), left]
    expect(contextItems(contextOf(...events, enter("pln_1")))).toMatchObject([{ text: "plan this" }])
    expect(contextOf(...events, enter("pln_2")).tracks).toEqual({ main: [], pln_2: [] })
    expect(contextOf(...events, cleared).tracks).toEqual({ main: [] })
    expect(contextItems(contextOf(...events, enter("pln_1"), cleared))).toEqual([])
  })

  it("ends at the event it was rewound to, and is empty when cleared", () => {
    const events = [admitted("1", "hi"), promoted("1"), step("1"), text("1", "hello")]
    expect(contextItems(contextOf(...events, { type: "context.rewound", toSeq: 2, by: you }))).toHaveLength(1)
    expect(contextItems(contextOf(...events, { type: "context.cleared", by: you }))).toEqual([])
  })
})

describe("the transcript", () => {
  it("shows prompts, answers and calls in conversation order", () => {
    const { items } = transcriptOf(
      admitted("1", "hi"),
      turn,
      promoted("1"),
      step("1"),
      text("1", "I look."),
      called,
      ended,
    )
    expect(items.map((item) => item.kind)).toEqual(["user", "assistant", "call"])
    expect(items[2]).toMatchObject({ state: "done", output: "a.txt" })
  })

  it("shows who decided an approval", () => {
    const approved: SessionEvent = { type: "approval.decided", approvalId: "apr_1", outcome: "approved", by: you }
    const { items } = transcriptOf(turn, step("1"), called, asked, approved)
    expect(items[1]).toMatchObject({ state: "approved", approval: { outcome: "approved", by: you } })
  })

  it("keeps the compacted part, with a notice", () => {
    const compacted: SessionEvent = { type: "context.compacted", compactionId: "cmp_1", summary: "s", upToSeq: 2 }
    const { items } = transcriptOf(admitted("1", "hi"), turn, promoted("1"), compacted)
    expect(items).toMatchObject([{ kind: "user", text: "hi" }, { kind: "notice" }])
  })

  it("joins text that a crash split, and marks text that stays cut off", () => {
    const joined = transcriptOf(turn, step("1"), text("1", "once ", true), step("2", "stp_1"), text("2", "upon"))
    expect(joined.items).toMatchObject([{ text: "once upon", cutOff: false }])
    expect(transcriptOf(turn, step("1"), text("1", "once ", true)).items).toMatchObject([{ cutOff: true }])
  })

  it("says why a turn was interrupted or failed", () => {
    const failed: SessionEvent = { type: "turn.ended", turnId: "trn_1", reason: "failed", error: "no network" }
    expect(transcriptOf(turn, failed).items).toMatchObject([{ kind: "notice", text: "The turn failed: no network" }])
  })

  it("separates plan turns from the main conversation", () => {
    const planned: SessionEvent = { type: "turn.started", turnId: "trn_1", planId: "pln_1" }
    const transcript = transcriptOf(
      admitted("1", "hi"),
      turn,
      promoted("1"),
      done,
      admitted("2", "plan"),
      planned,
      promoted("2"),
    )
    expect(trackOf(transcript, undefined)).toMatchObject([{ text: "hi" }])
    expect(trackOf(transcript, "pln_1")).toMatchObject([{ text: "plan" }])
  })

  it("hides rewound turns", () => {
    const { items } = transcriptOf(admitted("1", "a"), turn, promoted("1"), done, {
      type: "context.rewound",
      toSeq: 2,
      by: you,
    })
    expect(items).toEqual([])
  })
})

describe("the status", () => {
  it("follows a turn from busy over asking to idle, and sums up its cost", () => {
    const begun = [admitted("1", "please\n look around"), turn, promoted("1"), step("1"), called, responded] as const
    expect(activityOf(statusOf(...begun))).toBe("busy")
    expect(activityOf(statusOf(...begun, asked))).toBe("asking")
    const finished = statusOf(
      ...begun,
      asked,
      { type: "approval.decided", approvalId: "apr_1", outcome: "denied" },
      done,
    )
    expect(activityOf(finished)).toBe("idle")
    expect(finished).toMatchObject({
      title: "please look around",
      turns: 1,
      usage: { total: { usd: 0.25, input: 10 } },
    })
  })

  it("knows its parent, its live children and their requests", () => {
    const childId = "01890000-0000-7000-8000-0000000000aa"
    const parent = { sessionId: childId, rootId: childId, depth: 2, reason: "tester" }
    const spawned: SessionEvent = { type: "child.spawned", childId, reason: "r" }
    const childAsked: SessionEvent = {
      type: "child.asked",
      childId,
      sessionId: childId,
      approvalId: "apr_2",
      tool: "bash",
      input: {},
      digest: "d",
      reason: "r",
      audience: "driver",
    }
    const made = { ...created, parent }
    expect(statusOf(made)).toMatchObject({ parentId: childId, spawnReason: "tester", depth: 2 })
    const alone = statusOf(made, { type: "session.orphaned", by: you })
    expect(alone).toMatchObject({ parentId: undefined, spawnReason: undefined, depth: 0 })
    const asking = statusOf(created, spawned, childAsked)
    expect(asking).toMatchObject({ children: 1, childApprovals: 1, openApprovals: 0 })
    expect(activityOf(asking)).toBe("idle")
    expect(statusOf(created, spawned, { type: "child.detached", childId })).toMatchObject({ children: 0 })
  })

  it("has the newest aliases, each once", () => {
    const many = Array.from({ length: 30 }, (_, n): SessionEvent => ({
      type: "session.aliased",
      alias: `a${n}`,
      by: you,
    }))
    const named = statusOf({ ...created, aliases: ["x", "x"] }, ...many, ...many)
    expect(named.aliases).toHaveLength(20)
    expect(named.aliases.at(-1)).toBe("a29")
    expect(statusOf({ ...created, aliases: ["x", "y", "x"] }).aliases).toEqual(["x", "y"])
  })

  it("shows that a session is hibernated", () => {
    const asleep: SessionEvent = { type: "session.hibernated", by: you }
    expect(activityOf(statusOf(created, turn, asleep))).toBe("hibernated")
    expect(activityOf(statusOf(created, turn, asleep, { type: "session.woken", by: you }))).toBe("busy")
  })

  it("reads lines that were stored before agent trees existed", () => {
    const { children: _, aliases: __, depth: ___, hibernated: ____, ...old } = noStatus
    expect(readStatus(old)).toEqual(noStatus)
  })

  it("counts calls without a price instead of guessing", () => {
    const unpriced = { ...responded, costUsd: undefined }
    expect(statusOf(turn, unpriced).usage.total).toMatchObject({ usd: 0, unpricedCalls: 1 })
  })
})
