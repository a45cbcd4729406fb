import { describe, expect, it } from "vitest"
import {
  after,
  answer,
  call,
  created,
  eventsOf,
  given,
  prompt,
  refusalOf,
  sent,
  types,
  you,
} from "../../../session/fixtures/given.ts"
import type { CallInteracts } from "./state.ts"
import type { SessionState } from "../../../session/state.ts"
import { requiredEffects } from "../../../session/required-effects.ts"

const interactionId = "6f1c0f4e-0000-5000-8000-000000000001"
const spec = { fields: [{ key: "email", required: true }] }
const raise: CallInteracts = {
  type: "call-interacts",
  callId: "cal_a",
  interactionId,
  kind: "identity_intake",
  spec,
  reason: "to find your order",
  waitMs: 300,
}

function asked(change: Partial<CallInteracts> = {}): SessionState {
  const called = sent(sent(given(), prompt("1")), answer("stp_1", call("a", "request_identity_intake")), { id: "2" })
  return sent(called, { ...raise, ...change }, { at: 1000 })
}

const submit = (values: object) => ({ type: "answer", interactionId, values: { ...values } }) as const

describe("an interaction", () => {
  it("is stored with its expiry, and its call waits", () => {
    const state = asked()
    expect(state.interactions).toMatchObject([{ id: interactionId, callId: "cal_a", expiresAt: 1300 }])
    expect(requiredEffects(state)).toEqual([
      { type: "expire-interaction", id: `expire:${interactionId}`, interactionId, at: 1300 },
    ])
  })

  it("is requested once per call", () => {
    expect(refusalOf(asked(), raise)).toBe("report.stale")
  })

  it("is answered once, with the normalised answer as the call's result", () => {
    const events = eventsOf(asked(), submit({ email: " a@B.example" }), { at: 1100 })
    const values = { email: "a@b.example" }
    expect(events.slice(0, 2)).toEqual([
      { type: "interaction.answered", interactionId, outcome: "submitted", values, by: you },
      { type: "tool.ended", callId: "cal_a", outcome: "done", output: JSON.stringify({ status: "submitted", values }) },
    ])
    expect(types(events)).toContain("step.started")
    const answered = sent(asked(), submit({ email: "a@b.example" }), { at: 1100 })
    expect(refusalOf(answered, submit({ email: "a@b.example" }))).toBe("interaction.unknown")
  })

  it("stays open after an invalid answer", () => {
    expect(refusalOf(asked(), submit({ email: "nowhere" }))).toBe("interaction.invalid")
    expect(refusalOf(asked(), { type: "answer", interactionId })).toBe("interaction.invalid")
  })

  it("can be declined, even with values", () => {
    const events = eventsOf(asked(), { ...submit({ email: "a@b.example" }), declined: true })
    expect(events[0]).toEqual({ type: "interaction.answered", interactionId, outcome: "declined", by: you })
    expect(events[1]).toMatchObject({ outcome: "done", output: expect.stringContaining('"status":"declined"') })
  })

  it("ends at its expiry, by report or by a late answer", () => {
    expect(refusalOf(asked(), { type: "interaction-expired", interactionId }, { at: 1299 })).toBe("report.stale")
    expect(refusalOf(asked(), submit({ email: "a@b.example" }), { at: 1300 })).toBe("interaction.unknown")
    const events = eventsOf(asked(), { type: "interaction-expired", interactionId }, { at: 1300 })
    expect(events[0]).toEqual({ type: "interaction.answered", interactionId, outcome: "expired" })
    expect(events[1]).toMatchObject({ outcome: "done", output: expect.stringContaining('"status":"no_response"') })
  })

  it("never expires by default", () => {
    expect(requiredEffects(asked({ waitMs: undefined }))).toEqual([])
  })

  it("stays open during hibernation, and its answer wakes the session", () => {
    const asleep = sent(asked(), { type: "hibernate" })
    expect(requiredEffects(asleep)).toEqual([])
    const woken = sent(asleep, submit({ email: "a@b.example" }), { at: 1100, id: "3" })
    expect(woken).toMatchObject({ asleep: false, interactions: [] })
    expect(requiredEffects(woken)).toMatchObject([{ type: "call-model" }])
  })

  it("is void when the turn is interrupted, and its call has one result", () => {
    const events = eventsOf(asked(), { type: "interrupt" })
    expect(types(events)).toEqual(["tool.ended", "interaction.answered", "turn.ended"])
    expect(events[1]).toMatchObject({ outcome: "void" })
  })

  it("delays the next calls if calls run one at a time", () => {
    const service = given({ ...created, preset: "service" })
    const two = answer("stp_1", call("a", "request_choices"), call("b", "look"))
    const called = sent(sent(service, prompt("1")), two, { id: "2" })
    const waiting = sent(called, raise, { at: 1000 })
    expect(requiredEffects(waiting).map(({ type }) => type)).toEqual(["expire-interaction"])
    expect(requiredEffects(sent(waiting, submit({ email: "a@b.example" }), { at: 1001 }))).toMatchObject([
      { callId: "cal_b" },
    ])
  })
})

describe("the contact of a visitor", () => {
  it("is merged with what was known before", () => {
    const named = given({ ...visit, contact: { name: "Ada", email: "old@b.example" } })
    const called = sent(sent(named, prompt("1")), answer("stp_1", call("a", "request_identity_intake")), { id: "2" })
    const told = sent(sent(called, raise), submit({ email: "new@b.example" }), { at: 1001 })
    expect(told.contact).toEqual({ name: "Ada", email: "new@b.example" })
  })

  it("is not taken from another kind of interaction", () => {
    const choices = { questions: [{ header: "email", options: ["a", "b"] }] }
    const state = asked({ kind: "choices", spec: choices })
    const values = { email: "a@b.example", answers: [{ header: "email", options: ["a"] }] }
    expect(sent(state, submit(values), { at: 1001 }).contact).toEqual({})
  })

  it("is also taken from a submission by the tool", () => {
    const introduction = { email: "a@b.example" }
    const ended = {
      type: "tool.ended",
      callId: "cal_a",
      outcome: "done",
      output: "",
      details: { introduction },
    } as const
    const by = (tool: string) => {
      const called = sent(sent(given(), prompt("1")), answer("stp_1", call("a", tool)), { id: "2" })
      return after(called, [ended]).contact
    }
    expect(by("submit_interaction")).toEqual(introduction)
    expect(by("lookup")).toEqual({})
  })
})

const visit = {
  type: "visit.opened",
  visitId: "6f1c0f4e-0000-4000-8000-000000000001",
  agentId: "shop",
  principal: "anonymous",
  contact: {},
  participants: { user: "6f1c0f4e-0000-4000-8000-00000000000a", agent: "6f1c0f4e-0000-4000-8000-00000000000b" },
} as const
