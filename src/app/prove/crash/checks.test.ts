// What the proofs compare: each check reports the violation that it is for, and nothing where all is well.
import { describe, expect, it } from "vitest"
import type { Recorded, SessionEvent } from "../../../contract/events.ts"
import { created } from "../../../session/fixtures/given.ts"
import { checkHistory } from "./check-history.ts"
import { DoorMemory } from "./doors/door-client.ts"
import { checkOrigins, checkRepeats } from "./effects.ts"
import { SessionRecord } from "./session-record.ts"

function reported(check: (report: (kind: string, event: string) => void) => void): readonly string[] {
  const found: string[] = []
  check((kind, event) => void found.push(`${kind} at ${event}`))
  return found
}

function history(...events: readonly SessionEvent[]): readonly Recorded[] {
  return [created, ...events].map((event, index) => ({ seq: index + 1, at: 0, event }))
}

const turn: SessionEvent = { type: "turn.started", turnId: "trn_1" }
const ended: SessionEvent = { type: "turn.ended", turnId: "trn_1", reason: "done" }
const step: SessionEvent = { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "offline/any" }
const called: SessionEvent = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "note", input: {} }
const started: SessionEvent = {
  type: "tool.started",
  callId: "cal_1",
  class: "unsafe",
  digest: "d",
  idempotencyKey: "cal_1",
}
const result: SessionEvent = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "" }
const effect = { callId: "cal_1", key: "cal_1" }

describe("a history", () => {
  it("is in order with one result for each call and one end for each turn", () => {
    expect(reported((report) => checkHistory(history(turn, step, called, started, result, ended), report))).toEqual([])
  })

  it("is broken by a call without a result and by a turn without an end", () => {
    const found = reported((report) => checkHistory(history(turn, step, called, started), report))
    expect(found).toEqual(["broken at tool.started", "broken at tool.called", "broken at turn.started"])
  })

  it("is doubled by a second result and by a second start of an unsafe call", () => {
    const twice = history(turn, step, called, started, started, result, result, ended)
    expect(reported((report) => checkHistory(twice, report))).toEqual([
      "doubled at tool.called",
      "doubled at tool.started",
    ])
  })
})

describe("effects", () => {
  it("of an unsafe call are doubled when there are two", () => {
    const all = history(turn, step, called, started, result, ended)
    expect(reported((report) => checkRepeats(all, [effect], report))).toEqual([])
    expect(reported((report) => checkRepeats(all, [effect, effect], report))).toEqual(["doubled at tool.started"])
  })

  it("need a stored start", () => {
    expect(reported((report) => checkOrigins([history(turn, ended)], [effect], report))).toEqual([
      "broken at tool.started",
    ])
  })
})

describe("what a client was shown", () => {
  const [first, second, third] = history(turn, ended)

  it("is doubled by an event that comes twice and lost by a gap", () => {
    const found = reported((report) => {
      const record = new SessionRecord("01890000-0000-7000-8000-000000000001", report)
      for (const recorded of [first, first, third]) if (recorded !== undefined) record.take({ kind: "event", recorded })
    })
    expect(found).toEqual(["doubled at session.created", "lost at turn.ended"])
  })

  it("is lost when the text of deltas is not in the event that repeats it", () => {
    const found = reported((report) => {
      const record = new SessionRecord("01890000-0000-7000-8000-000000000001", report)
      const delta = { type: "text.delta", stepId: "stp_1", block: 0, delta: "half" } as const
      record.take({ kind: "delta", delta })
      const event = { type: "text.ended", stepId: "stp_1", block: 0, text: "half and half" } as const
      record.take({ kind: "event", recorded: { seq: 1, at: 0, event } })
    })
    expect(found).toEqual(["lost at text.ended"])
    expect(second?.event.type).toBe("turn.started")
  })

  it("is missing from a list of messages, or in it twice", () => {
    const found = reported((report) => {
      const memory = new DoorMemory("test", report, false)
      memory.know({ role: "user", text: "one" })
      memory.compare([{ role: "user", text: "one" }])
      memory.compare([{ role: "user", text: "two" }])
      memory.compare([
        { role: "user", text: "one" },
        { role: "user", text: "one" },
      ])
    })
    expect(found).toEqual(["lost at prompt.admitted", "doubled at prompt.admitted"])
  })
})
