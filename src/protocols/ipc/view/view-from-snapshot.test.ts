import { finishSentence } from "../../../contract/text/finish-sentence.ts"
import { describe, expect, it } from "vitest"
import { emptySnapshot, ViewRecorder } from "./fixtures/view-recorder.ts"
import type { SessionSnapshot } from "../../../contract/views/session-snapshot.ts"

describe("a view that starts in mid-turn", () => {
  const entry = { seq: 2, at: 7, planId: undefined } as const
  const by = { principal: "you", door: "ipc" }
  const user = { kind: "user", attachments: [], by, untrustedSource: undefined, state: "promoted" } as const
  const step = { kind: "assistant", reasoning: "", cutOff: false } as const
  const call = { kind: "call", tool: "bash", input: { command: "make" }, output: undefined } as const
  const approval = { id: "apr_1", reason: "unsafe", outcome: undefined, by: undefined } as const
  const snapshot: SessionSnapshot = {
    ...emptySnapshot,
    seq: 20,
    status: { ...emptySnapshot.status, inTurn: true, openApprovals: 1 },
    items: [
      { ...user, ...entry, promptId: "prm_1", text: "old" },
      { ...step, ...entry, stepId: "stp_1", text: "answer" },
      { ...user, ...entry, promptId: "prm_2", text: "new" },
      { ...step, ...entry, stepId: "stp_2", text: "First" },
      { ...call, ...entry, callId: "cal_1", state: "unsettled", output: "gone", approval: undefined },
      { ...user, ...entry, promptId: "prm_3", text: "added to the turn" },
      { ...step, ...entry, stepId: "stp_3", text: "Second" },
      { ...call, ...entry, callId: "cal_2", state: "asked", approval },
      { ...user, ...entry, promptId: "prm_4", text: "later", state: "waiting" },
    ],
  }

  it("lists earlier messages and has the text of the turn so far", () => {
    const recorder = new ViewRecorder(snapshot)
    expect(recorder.listed).toEqual([
      "user: old",
      "assistant: answer",
      "user: new",
      "system: The outcome of bash is unknown: gone",
      "user: added to the turn",
      expect.stringContaining("system: Approval needed: bash"),
    ])
    expect(recorder.view.turnText).toBe("First\n\nSecond")
    expect(recorder.view.statusText).toBe("Waiting for approval: bash")
    expect(recorder.view.requests).toMatchObject([{ approvalId: "apr_1", tool: "bash" }])
  })

  it("continues open calls, text and queued prompts", () => {
    const recorder = new ViewRecorder(snapshot).toolEnded("cal_2", "built")
    expect(recorder.sent[0]).toMatchObject({ type: "tool_result", id: "cal_2", output: "built" })
    recorder.reset().step().text("Third.").textEnded("Third.").ended()
    expect(recorder.chunks).toBe("\n\nThird.")
    expect(recorder.added).toEqual(["assistant: First\n\nSecond\n\nThird."])
    recorder.event({ type: "turn.started", turnId: "trn_9" })
    recorder.event({ type: "prompt.promoted", promptId: "prm_4", turnId: "trn_9" })
    expect(recorder.added.at(-1)).toBe("user: later")
    expect(recorder.view.statusText).toBe("Processing queued message...")
  })

  it.each([
    ["length", "length"],
    ["content-filter", "content_filter"],
    ["refusal", "refusal"],
    ["empty", "empty"],
  ] as const)("ends an incomplete answer with its reason: %s", (finish, reason) => {
    const recorder = new ViewRecorder()
      .prompted("hi")
      .event({ type: "turn.ended", turnId: "trn_1", reason: "done", finish })
    expect(recorder.sent).toContainEqual({ type: "stream_end", finish_reason: reason })
    expect(recorder.added.at(-1)).toContain(finishSentence(finish))
  })

  it("notes that earlier messages are not shown", () => {
    expect(new ViewRecorder({ ...snapshot, earlier: true }).listed[0]).toBe("system: Earlier messages are not shown.")
  })
})
