import { describe, expect, it } from "vitest"
import { treeDoor } from "../../../contract/tree-door.ts"
import { childId, emptySnapshot, sessionId, ToldView, viewer } from "./fixtures/recorded-view.ts"

describe("what is set", () => {
  it("as tool mode or model shows in the status line", () => {
    const told = new ToldView().event(
      { type: "tools.selected", mode: { Explicit: ["read"] }, by: viewer },
      { type: "model.selected", model: "m2", by: viewer },
    )
    expect(told.statuses).toEqual(["Tool mode: explicit", "Ready - Model: m2"])
    expect(told.view).toMatchObject({ model: "m2", toolMode: { Explicit: ["read"] } })
  })

  it("as model in the middle of a turn counts from the next one on", () => {
    const told = new ToldView().prompted().forget().event({ type: "model.selected", model: "m2", by: viewer })
    expect(told.heard).toEqual([{ type: "toast", message: "Model from the next turn on: m2", duration_ms: 1500 }])
    expect(told.ended().statuses).toEqual(["Ready - Model: m2"])
  })

  it("as tasks is told with true counts, at most five times a second", () => {
    const told = new ToldView()
    told.event({ type: "task.added", task: 1, text: "one", priority: "high", by: viewer })
    told.event({ type: "task.added", task: 2, text: "two", priority: "normal", parent: 1, by: viewer })
    told.event({ type: "task.changed", task: 2, status: "completed", by: viewer })
    expect(told.heard).toEqual([{ type: "task_update", task_tree: "○ 🟠 one\n", task_count: 1, completed_count: 0 }])
    expect(told.view.dueAt).toBe(200)
    const update = { type: "task_update", task_tree: "○ 🟠 one\n└── ● two\n", task_count: 2, completed_count: 1 }
    expect(told.view.due(200)).toEqual([update])
    expect(told.view.sync()[1]).toEqual(update)
  })
})

describe("a turn that waits", () => {
  it("for money, for a visitor or for their code says so", () => {
    const told = new ToldView().prompted().called("cal_1").forget()
    const asked = {
      interactionId: "int_1",
      callId: "cal_1",
      kind: "choices",
      spec: {},
      reason: "Which address?",
    } as const
    told.event({ type: "interaction.requested", ...asked })
    expect(told.heard).toEqual([
      { type: "toast", message: "The visitor is asked (choices): Which address?", duration_ms: 3000 },
    ])
    const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
    const wanted = { verificationId: "ver_1", visitId, callId: "cal_1", tool: "pay" } as const
    told.forget().event({ type: "verification.requested", ...wanted, channels: [] })
    told.event({ type: "verification.requested", ...wanted, channels: ["email"] })
    expect(told.heard).toEqual([
      { type: "toast", message: "The visitor is asked for a code to use pay", duration_ms: 3000 },
    ])
    told.forget().event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "The budget is spent." })
    expect(told.added).toEqual(["system: The budget is spent."])
    expect(told.types).toEqual(["message_added", "toast", "status_update"])
    told.forget().event({ type: "turn.resumed", turnId: "trn_1" })
    expect(told.statuses).toEqual(["⚙️ Executing: bash..."])
  })

  it("for a person of the house says why", () => {
    const told = new ToldView().prompted().called("cal_1").forget()
    told.event({ type: "escalation.raised", turnId: "trn_1", callId: "cal_1", reason: "a refund" })
    expect(told.heard).toEqual([{ type: "toast", message: "A person is wanted: a refund", duration_ms: 3000 }])
  })

  it("says when another host goes on with it, or when it is put to rest", () => {
    const told = new ToldView().prompted().forget()
    told.event({ type: "turn.adopted", turnId: "trn_1", host: "h", attempt: 1 })
    told.event({ type: "session.hibernated", by: viewer }, { type: "session.woken", by: viewer })
    expect(told.statuses).toEqual(["Processing pending request...", "Hibernated", "Streaming response..."])
  })
})

describe("the list of messages", () => {
  it("is told anew when it was cleared, rewound or compacted", () => {
    const told = new ToldView().prompted("one").ended()
    const toSeq = told.view.seq
    told.event({ type: "context.marked", name: "here", toSeq, by: viewer })
    told.prompted("two").ended().forget()
    expect(told.listed).toEqual(["user: one", "user: two"])
    told.event({ type: "context.rewound", toSeq, by: viewer })
    expect(told.heard).toMatchObject([{ type: "conversation_sync", messages: [{ content: "one" }], is_busy: false }])
    expect(told.view.marks).toEqual([{ name: "here", toSeq }])
    told
      .forget()
      .event(
        { type: "compaction.started", compactionId: "cmp_1", why: "asked" },
        { type: "context.compacted", compactionId: "cmp_1", summary: "s", upToSeq: 3 },
      )
    expect(told.types).toEqual(["status_update", "conversation_sync"])
    expect(told.heard[1]).toMatchObject({ status: "Ready - Model: m1", messages: [{}, { role: "system" }] })
    told.forget().event({ type: "context.cleared", by: viewer })
    expect(told.heard).toMatchObject([{ type: "conversation_sync", messages: [] }])
    expect(told.view.marks).toEqual([])
  })

  it("gets a notice, not a new list, when a compaction comes in the middle of a turn", () => {
    const told = new ToldView().prompted().forget()
    told.event({ type: "context.compacted", compactionId: "cmp_1", summary: "s", upToSeq: 3 })
    expect(told.added).toEqual(["system: Earlier messages were summarised for the model."])
    expect(told.types).not.toContain("conversation_sync")
  })

  it("keeps the newest thousand turns and says that there was more", () => {
    const told = new ToldView()
    for (let turn = 0; turn < 1003; turn++) told.prompted(`${turn}`).ended().forget()
    expect(told.view.messages).toHaveLength(1001)
    expect(told.listed.slice(0, 2)).toEqual(["system: Earlier messages are not shown.", "user: 3"])
  })

  it("never outgrows what fits into one frame", () => {
    const told = new ToldView()
    for (let turn = 0; turn < 12; turn++) told.prompted(`${turn}${"\u0001".repeat(200_000)}`).ended()
    const [sync] = told.view.sync()
    expect(JSON.stringify(sync).length).toBeLessThan(9 * 1024 * 1024)
    expect(told.listed[0]).toBe("system: Earlier messages are not shown.")
    expect(told.listed.at(-1)?.startsWith("user: 11")).toBe(true)
  })

  it("names files where nothing was typed, and holds nothing of what they contain", () => {
    const attachments = [{ name: "a.png", mediaType: "image/png", data: "AAAA" }]
    const told = new ToldView().event(
      { type: "prompt.admitted", promptId: "prm_9", text: "", attachments, delivery: "next-turn", by: viewer },
      { type: "turn.started", turnId: "trn_9" },
      { type: "prompt.promoted", promptId: "prm_9", turnId: "trn_9" },
    )
    expect(told.listed).toEqual(["user: [a.png]"])
  })
})

describe("the family", () => {
  it("is told of children that come and go, by their real model", () => {
    const told = new ToldView().event(
      { type: "child.spawned", childId, reason: "look around", task: "t" },
      { type: "child.ended", childId, outcome: "failed", result: "No folder.", costUsd: 0, tokens: 0 },
    )
    expect(told.heard).toEqual([
      {
        type: "agent_spawned",
        new_session_id: childId,
        parent_session_id: sessionId,
        spawn_reason: "look around",
        model: "m1",
      },
      { type: "agent_exiting", session_id: childId, reason: "failed: No folder.", children_notified: [] },
    ])
    expect(told.view.children).toEqual([])
  })

  it("gets the model of the turn, not of the next one", () => {
    const told = new ToldView().prompted().event({ type: "model.selected", model: "m2", by: viewer }).forget()
    told.event({ type: "child.spawned", childId, reason: "r" })
    expect(told.heard).toMatchObject([{ type: "agent_spawned", model: "m1" }])
  })

  it("hears of its parent's wishes, and of the end with those who were told", () => {
    const status = { ...emptySnapshot.status, parentId: childId }
    const byParent = { principal: "the parent session", door: treeDoor }
    const told = new ToldView({ ...emptySnapshot, status, children: ["0189f7a0-0000-7000-8000-000000000003"] })
    told.event({ type: "session.ending", by: viewer }, { type: "session.ending", by: byParent })
    told.event({ type: "session.orphaned", by: byParent })
    told.event({ type: "session.ended", reason: "it was stopped" })
    const signal = { type: "parent_signal_received", parent_session_id: childId }
    expect(told.heard.filter(({ type }) => type !== "status_update")).toEqual([
      { ...signal, signal: "parent_exiting" },
      { ...signal, signal: "detached" },
      {
        type: "agent_exiting",
        session_id: sessionId,
        reason: "it was stopped",
        children_notified: ["0189f7a0-0000-7000-8000-000000000003"],
      },
    ])
  })
})
