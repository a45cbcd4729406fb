import { describe, expect, it } from "vitest"
import { treeDoor } from "../../../contract/rules/session-settings.ts"
import { childId, emptySnapshot, sessionId, ViewRecorder, viewer } from "./fixtures/view-recorder.ts"

describe("settings", () => {
  it("show the tool mode and the model in the status line", () => {
    const recorder = new ViewRecorder().event(
      { type: "tools.selected", mode: { Explicit: ["read"] }, by: viewer },
      { type: "model.selected", model: "m2", by: viewer },
    )
    expect(recorder.statuses).toEqual(["Tool mode: explicit", "Ready - Model: m2"])
    expect(recorder.view).toMatchObject({ status: { model: "m2" }, toolMode: { Explicit: ["read"] } })
  })

  it("announce a model that is selected in mid-turn for the next turn", () => {
    const recorder = new ViewRecorder().prompted().reset().event({ type: "model.selected", model: "m2", by: viewer })
    expect(recorder.sent).toEqual([{ type: "toast", message: "Model from the next turn on: m2", duration_ms: 1500 }])
    expect(recorder.ended().statuses).toEqual(["Ready - Model: m2"])
  })

  it("send task updates with exact counts at most five times a second", () => {
    const recorder = new ViewRecorder()
    recorder.event({ type: "task.added", task: 1, text: "one", priority: "high", by: viewer })
    recorder.event({ type: "task.added", task: 2, text: "two", priority: "normal", parent: 1, by: viewer })
    recorder.event({ type: "task.changed", task: 2, status: "completed", by: viewer })
    expect(recorder.sent).toEqual([{ type: "task_update", task_tree: "○ 🟠 one\n", task_count: 1, completed_count: 0 }])
    expect(recorder.view.dueAt).toBe(200)
    const update = { type: "task_update", task_tree: "○ 🟠 one\n└── ● two\n", task_count: 2, completed_count: 1 }
    expect(recorder.view.due(200)).toEqual([update])
    expect(recorder.view.syncMessages()[1]).toEqual(update)
  })
})

describe("a turn that waits", () => {
  it("shows that it waits for budget, for the visitor or for a code", () => {
    const recorder = new ViewRecorder().prompted().called("cal_1").reset()
    const asked = {
      interactionId: "int_1",
      callId: "cal_1",
      kind: "choices",
      spec: {},
      reason: "Which address?",
    } as const
    recorder.event({ type: "interaction.requested", ...asked })
    expect(recorder.sent).toEqual([
      { type: "toast", message: "The visitor was asked (choices): Which address?", duration_ms: 3000 },
    ])
    const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
    const wanted = { verificationId: "ver_1", visitId, callId: "cal_1", tool: "pay" } as const
    recorder.reset().event({ type: "verification.requested", ...wanted, channels: [] })
    recorder.event({ type: "verification.requested", ...wanted, channels: ["email"] })
    expect(recorder.sent).toEqual([
      { type: "toast", message: "The visitor was asked for a code to use pay", duration_ms: 3000 },
    ])
    recorder.reset().event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "The budget is spent." })
    expect(recorder.added).toEqual(["system: The budget is spent."])
    expect(recorder.types).toEqual(["message_added", "toast", "status_update"])
    recorder.reset().event({ type: "turn.resumed", turnId: "trn_1" })
    expect(recorder.statuses).toEqual(["⚙️ Executing: bash..."])
  })

  it("shows why a person is needed", () => {
    const recorder = new ViewRecorder().prompted().called("cal_1").reset()
    recorder.event({ type: "escalation.raised", turnId: "trn_1", callId: "cal_1", reason: "a refund" })
    expect(recorder.sent).toEqual([{ type: "toast", message: "A person is needed: a refund", duration_ms: 3000 }])
  })

  it("shows that another host continues it, or that the session hibernates", () => {
    const recorder = new ViewRecorder().prompted().reset()
    recorder.event({ type: "turn.adopted", turnId: "trn_1", host: "h", attempt: 1 })
    recorder.event({ type: "session.hibernated", by: viewer }, { type: "session.woken", by: viewer })
    expect(recorder.statuses).toEqual(["Processing pending request...", "Hibernated", "Streaming response..."])
  })
})

describe("the list of messages", () => {
  it("is sent anew when it was cleared, rewound or compacted", () => {
    const recorder = new ViewRecorder().prompted("one").ended()
    const toSeq = recorder.view.seq
    recorder.prompted("two").ended().reset()
    expect(recorder.listed).toEqual(["user: one", "user: two"])
    recorder.event({ type: "context.rewound", toSeq, by: viewer })
    expect(recorder.sent).toMatchObject([{ type: "conversation_sync", messages: [{ content: "one" }], is_busy: false }])
    recorder
      .reset()
      .event(
        { type: "compaction.started", compactionId: "cmp_1", why: "asked" },
        { type: "context.compacted", compactionId: "cmp_1", summary: "s", upToSeq: 3 },
      )
    expect(recorder.types).toEqual(["status_update", "conversation_sync"])
    expect(recorder.sent[1]).toMatchObject({ status: "Ready - Model: m1", messages: [{}, { role: "system" }] })
    recorder.reset().event({ type: "context.cleared", by: viewer })
    expect(recorder.sent).toMatchObject([{ type: "conversation_sync", messages: [] }])
  })

  it("gets a notice instead of a new list when a turn is compacted", () => {
    const recorder = new ViewRecorder().prompted().reset()
    recorder.event({ type: "context.compacted", compactionId: "cmp_1", summary: "s", upToSeq: 3 })
    expect(recorder.added).toEqual(["system: Earlier messages were summarised for the model."])
    expect(recorder.types).not.toContain("conversation_sync")
  })

  it("keeps the newest 1,000 turns and notes that earlier ones are not shown", () => {
    const recorder = new ViewRecorder()
    for (let turn = 0; turn < 1003; turn++) recorder.prompted(`${turn}`).ended().reset()
    expect(recorder.view.messages).toHaveLength(1001)
    expect(recorder.listed.slice(0, 2)).toEqual(["system: Earlier messages are not shown.", "user: 3"])
  })

  it("is limited to what fits into one frame", () => {
    const recorder = new ViewRecorder()
    for (let turn = 0; turn < 12; turn++) recorder.prompted(`${turn}${"\u0001".repeat(200_000)}`).ended()
    const [sync] = recorder.view.syncMessages()
    expect(JSON.stringify(sync).length).toBeLessThan(9 * 1024 * 1024)
    expect(recorder.listed[0]).toBe("system: Earlier messages are not shown.")
    expect(recorder.listed.at(-1)?.startsWith("user: 11")).toBe(true)
  })

  it("names the files of a prompt without text, and does not hold their content", () => {
    const attachments = [{ name: "a.png", mediaType: "image/png", data: "AAAA" }]
    const recorder = new ViewRecorder().event(
      { type: "prompt.admitted", promptId: "prm_9", text: "", attachments, delivery: "next-turn", by: viewer },
      { type: "turn.started", turnId: "trn_9" },
      { type: "prompt.promoted", promptId: "prm_9", turnId: "trn_9" },
    )
    expect(recorder.listed).toEqual(["user: [a.png]"])
  })
})

describe("parent and child agents", () => {
  it("are reported when children start and end, with their model", () => {
    const recorder = new ViewRecorder().event(
      { type: "child.spawned", childId, reason: "look around", task: "t" },
      { type: "child.ended", childId, outcome: "failed", result: "No folder.", costUsd: 0, tokens: 0 },
    )
    expect(recorder.sent).toEqual([
      {
        type: "agent_spawned",
        new_session_id: childId,
        parent_session_id: sessionId,
        spawn_reason: "look around",
        model: "m1",
      },
      { type: "agent_exiting", session_id: childId, reason: "failed: No folder.", children_notified: [] },
    ])
    expect(recorder.view.children).toEqual([])
  })

  it("have the model of the running turn", () => {
    const recorder = new ViewRecorder().prompted().event({ type: "model.selected", model: "m2", by: viewer }).reset()
    recorder.event({ type: "child.spawned", childId, reason: "r" })
    expect(recorder.sent).toMatchObject([{ type: "agent_spawned", model: "m1" }])
  })

  it("are reported: signals of the parent, and the end with the notified children", () => {
    const status = { ...emptySnapshot.status, parentId: childId }
    const byParent = { principal: "the parent session", door: treeDoor }
    const recorder = new ViewRecorder({ ...emptySnapshot, status, children: ["0189f7a0-0000-7000-8000-000000000003"] })
    recorder.event({ type: "session.ending", by: viewer }, { type: "session.ending", by: byParent })
    recorder.event({ type: "session.orphaned", by: byParent })
    recorder.event({ type: "session.ended", reason: "it was stopped" })
    const signal = { type: "parent_signal_received", parent_session_id: childId }
    expect(recorder.sent.filter(({ type }) => type !== "status_update")).toEqual([
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
