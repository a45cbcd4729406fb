import { finishSentence } from "../../../contract/finish-sentence.ts"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../../contract/values.ts"
import { emptySnapshot, ToldView } from "./fixtures/recorded-view.ts"
import { readSnapshot, type SessionSnapshot } from "../../../projection/session-snapshot.ts"

/** As it comes through a wire. */
function wired(change: object = {}): JsonValue {
  return JSON.parse(JSON.stringify({ ...emptySnapshot, ...change }))
}

describe("a scene", () => {
  it("is read from the answer of a house, old or new", () => {
    expect(readSnapshot(wired())).toMatchObject({ seq: 1, asked: [], status: { model: "m1", parentId: undefined } })
    expect(readSnapshot(wired({ asked: undefined }))).toMatchObject({ asked: [] })
  })

  it.each([
    ["nothing", null],
    ["a list", []],
    ["without a place", wired({ seq: undefined })],
    ["without messages", wired({ items: 5 })],
    ["without a status", wired({ status: {} })],
    ["with questions that are none", wired({ asked: "x" })],
  ])("that is %s is not one", (_, answer) => {
    expect(readSnapshot(answer)).toBeUndefined()
  })
})

describe("a view that begins in the middle of a turn", () => {
  const entry = { seq: 2, at: 7, planId: undefined } as const
  const by = { principal: "you", door: "ipc" }
  const user = { kind: "user", attachments: [], by, untrustedSource: undefined, state: "promoted" } as const
  const step = { kind: "assistant", reasoning: "", cutOff: false } as const
  const call = { kind: "call", tool: "bash", input: { command: "make" }, output: undefined } as const
  const approval = { id: "apr_1", reason: "unsafe", outcome: undefined, by: undefined } as const
  const scene: SessionSnapshot = {
    ...emptySnapshot,
    seq: 20,
    status: { ...emptySnapshot.status, inTurn: true, openApprovals: 1 },
    items: [
      { ...user, ...entry, promptId: "prm_1", text: "old" },
      { ...step, ...entry, stepId: "stp_1", text: "answer" },
      { ...user, ...entry, promptId: "prm_2", text: "new" },
      { ...step, ...entry, stepId: "stp_2", text: "First" },
      { ...call, ...entry, callId: "cal_1", state: "unsettled", output: "gone", approval: undefined },
      { ...user, ...entry, promptId: "prm_3", text: "slipped in" },
      { ...step, ...entry, stepId: "stp_3", text: "Second" },
      { ...call, ...entry, callId: "cal_2", state: "asked", approval },
      { ...user, ...entry, promptId: "prm_4", text: "later", state: "waiting" },
    ],
  }

  it("lists what was said, and gives the words of the turn as the text so far", () => {
    const told = new ToldView(scene)
    expect(told.listed).toEqual([
      "user: old",
      "assistant: answer",
      "user: new",
      "system: The outcome of bash is unknown: gone",
      "user: slipped in",
      expect.stringContaining("system: Approval needed: bash"),
    ])
    expect(told.view.catchUp).toBe("First\n\nSecond")
    expect(told.view.statusText).toBe("Waiting for approval: bash")
    expect(told.view.requests).toMatchObject([{ approvalId: "apr_1", tool: "bash" }])
  })

  it("goes on with its open calls, its words, and what waits", () => {
    const told = new ToldView(scene).toolEnded("cal_2", "built")
    expect(told.heard[0]).toMatchObject({ type: "tool_result", id: "cal_2", output: "built" })
    told.forget().step().text("Third.").textEnded("Third.").ended()
    expect(told.chunks).toBe("\n\nThird.")
    expect(told.added).toEqual(["assistant: First\n\nSecond\n\nThird."])
    told.event({ type: "turn.started", turnId: "trn_9" })
    told.event({ type: "prompt.promoted", promptId: "prm_4", turnId: "trn_9" })
    expect(told.added.at(-1)).toBe("user: later")
    expect(told.view.statusText).toBe("Processing queued message...")
  })

  it.each([
    ["length", "length"],
    ["content-filter", "content_filter"],
    ["refusal", "refusal"],
    ["empty", "empty"],
  ] as const)("ends with the reason of an answer that is not whole: %s", (finish, reason) => {
    const told = new ToldView().prompted("hi").event({ type: "turn.ended", turnId: "trn_1", reason: "done", finish })
    expect(told.heard).toContainEqual({ type: "stream_end", finish_reason: reason })
    expect(told.added.at(-1)).toContain(finishSentence(finish))
  })

  it("says when there is more before it", () => {
    expect(new ToldView({ ...scene, earlier: true }).listed[0]).toBe("system: Earlier messages are not shown.")
  })
})
