import { expect, it } from "vitest"
import type { Recorded, SessionEvent } from "../contract/events.ts"
import { Measuring, measuresOf } from "./measures.ts"

const usage = { input: 10, output: 5, cacheRead: 2, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
const call = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: {} } as const
const start = { type: "tool.started", callId: "cal_1", class: "unsafe", digest: "d", idempotencyKey: "k" } as const
const end = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "" } as const

/** Each event a second after the one before. */
function recorded(...events: readonly SessionEvent[]): readonly Recorded[] {
  return events.map((event, index) => ({ seq: index + 1, at: index * 1000, event }))
}

it("measures an answer from the start of its step", () => {
  const events = recorded(
    { type: "step.started", turnId: "trn_1", stepId: "stp_1", model: "a/b" },
    { type: "response.ended", stepId: "stp_1", model: "a/b", finish: "stop", usage, costUsd: 0.5 },
  )
  expect(measuresOf(events).models).toEqual([{ at: 1000, model: "a/b", ms: 1000, usage, usd: 0.5 }])
})

it("measures an answer whose step began before the events as taking no time, without a price", () => {
  const events = recorded({ type: "response.ended", stepId: "stp_0", model: "a/b", finish: "stop" })
  expect(measuresOf(events).models).toEqual([{ at: 0, model: "a/b", ms: 0, usage: undefined, usd: undefined }])
})

it("measures a call from its start, not from when it was requested", () => {
  const waited = { type: "approval.decided", approvalId: "apr_1", outcome: "approved" } as const
  expect(measuresOf(recorded(call, waited, start, end)).tools).toEqual([
    { at: 3000, tool: "bash", ms: 1000, outcome: "done" },
  ])
})

it("leaves out a call that did not start, and one that has not ended", () => {
  expect(measuresOf(recorded(call, end)).tools).toEqual([])
  expect(measuresOf(recorded(call, start)).tools).toEqual([])
})

it("continues after the events that another reader has measured, and forgets what a turn has left open", () => {
  const step = { type: "step.started", turnId: "trn_1", stepId: "stp_1", model: "a/b" } as const
  const answered = { type: "response.ended", stepId: "stp_1", model: "a/b", finish: "stop" } as const
  const events = recorded(step, call, start, end, answered)
  const first = new Measuring()
  for (const event of events.slice(0, 3)) first.take(event)
  const second = new Measuring(first.open)
  expect(events.slice(3).map((event) => second.take(event))).toMatchObject([
    { tool: "bash", ms: 1000 },
    { model: "a/b", ms: 4000 },
  ])
  expect(second.open).toEqual([])
  for (const event of recorded({ type: "turn.ended", turnId: "trn_1", reason: "done" })) first.take(event)
  expect(first.open).toEqual([])
})
