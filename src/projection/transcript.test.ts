import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../contract/events.ts"
import type { JsonValue } from "../contract/values.ts"
import { emptyTranscript, foldTranscript } from "./transcript.ts"

function itemsAfter(...events: readonly SessionEvent[]) {
  const recorded = events.map((event, index) => ({ seq: index + 1, at: 0, event }))
  return recorded.reduce(foldTranscript, emptyTranscript()).items
}

const interactionId = "6f1c0f4e-0000-5000-8000-000000000001"
const called: SessionEvent = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "t", input: {} }
const spec = { fields: [{ key: "email", required: true }] }
const requested: SessionEvent = {
  type: "interaction.requested",
  interactionId,
  callId: "cal_1",
  kind: "identity_intake",
  spec,
  reason: "why",
  expiresAt: 5,
}

describe("a call in the transcript", () => {
  it("shows the request to the visitor and its outcome", () => {
    const asked = { id: interactionId, kind: "identity_intake", spec, reason: "why", expiresAt: 5 }
    expect(itemsAfter(called, requested)).toMatchObject([
      { state: "asked", interaction: { ...asked, outcome: undefined, values: undefined } },
    ])
    const values = { email: "a@b.example" }
    const answered: SessionEvent = { type: "interaction.answered", interactionId, outcome: "submitted", values }
    const ended: SessionEvent = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "{}" }
    expect(itemsAfter(called, requested, answered, ended)).toMatchObject([
      { state: "done", interaction: { ...asked, outcome: "submitted", values } },
    ])
  })

  it.each<[JsonValue | undefined, object]>([
    [{ escalation: "wants a person" }, { escalation: "wants a person" }],
    [{ directive: { type: "send_file" }, exitCode: 0 }, { directive: { type: "send_file" } }],
    [undefined, {}],
    [["escalation"], {}],
  ])("shows the details of a result for staff and client: %j", (details, shown) => {
    const ended: SessionEvent = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "ok", details }
    const [entry] = itemsAfter(called, ended)
    const { escalation, directive } = entry?.kind === "call" ? entry : {}
    expect(JSON.parse(JSON.stringify({ escalation, directive }))).toEqual(shown)
  })
})

it("names the images of a result, and where their bytes are", () => {
  const png = { name: "shot.png", mediaType: "image/png" }
  const images = [{ ...png, data: "iVBORw0KGgo=" }]
  const ended: SessionEvent = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "an image", images }
  expect(itemsAfter(called, ended)).toMatchObject([{ images: { seq: 2, files: [png] } }])
})

describe("a notice in the transcript", () => {
  it("says how a turn ended that was not completed", () => {
    const ended = (reason: "done" | "step-limit" | "failed"): SessionEvent => ({
      type: "turn.ended",
      turnId: "trn_1",
      reason,
    })
    expect(itemsAfter(ended("step-limit"))).toMatchObject([{ kind: "notice", end: "step-limit" }])
    expect(itemsAfter(ended("failed"))).toMatchObject([{ kind: "notice", end: "failed" }])
    expect(itemsAfter(ended("done"))).toEqual([])
  })
})

describe("an answer in the transcript", () => {
  it("shows suggested replies, also without other text", () => {
    const started: SessionEvent = { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "m" }
    const words: SessionEvent = { type: "text.ended", stepId: "stp_1", block: 0, text: "Yes?" }
    const proposed: SessionEvent = { ...words, block: 1, text: "", suggestions: ["No"] }
    expect(itemsAfter(started, words, proposed)).toMatchObject([{ text: "Yes?", suggestions: ["No"] }])
  })
})
