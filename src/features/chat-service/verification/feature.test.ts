import { describe, expect, it } from "vitest"
import { decide } from "../../../session/decide.ts"
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
  stamp,
  types,
  you,
} from "../../../session/fixtures/given.ts"
import type { SessionState } from "../../../session/state.ts"
import { verifiedContact, type CodePrepared } from "./state.ts"
import { requiredEffects } from "../../../session/required-effects.ts"

const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
const participants = { user: visitId, agent: visitId }
const visit = { type: "open-visit", visitId, agentId: "shop", contact: {}, participants } as const
const verificationId = "ver_3"
const prepared: CodePrepared = {
  type: "code-prepared",
  verificationId,
  contact: { email: "a@b.example" },
  channel: "email",
  destination: "a…@b.example",
  digest: "d",
  attemptsLeft: 3,
  expiresAt: 5000,
}
const isCode = (code: string, id: string, digest: string) => code === "right" && id === verificationId && digest === "d"
const verify = (code: string) => ({ type: "verify", visitId, code }) as const
const refuse = { kind: "refuse", by: "levels", reason: "no", level: "end_user" } as const

/** A call has been made in a turn that a visit began. */
function calling(): SessionState {
  const service = given({ ...created, preset: "service" })
  const began = sent(sent(service, visit), { ...prompt("1"), visitId })
  return sent(began, answer("stp_1", call("a", "pay")), { id: "2" })
}

/** The call was refused and the model is done. */
function refused(): SessionState {
  const judged = sent(calling(), { type: "judged", callId: "cal_a", verdict: refuse }, { id: "s" })
  return sent(judged, answer("stp_s", "Who are you?"))
}

function offered(): SessionState {
  const turnId = refused().turn?.id ?? "trn_"
  return sent(refused(), { type: "code-offered", turnId, channels: ["email"] }, { id: "3" })
}

function parked(waitMs?: number): SessionState {
  return sent(calling(), { type: "code-needed", callId: "cal_a", channels: ["email"], waitMs }, { id: "3", at: 1000 })
}

const onItsWay = (state: SessionState) => sent(sent(state, prepared), { type: "code-sent", verificationId })

describe("a call refused for lack of verification", () => {
  it("holds the end of its turn until the code is sent", () => {
    expect(requiredEffects(refused())).toMatchObject([{ type: "offer-code" }])
    expect(requiredEffects(offered())).toEqual([{ type: "send-code", id: `code:${verificationId}`, verificationId }])
    const made = sent(offered(), prepared)
    expect(made.turn).toBeDefined()
    expect(requiredEffects(made)).toMatchObject([{ type: "send-code" }])
    const events = eventsOf(made, { type: "code-sent", verificationId })
    expect(types(events)).toEqual(["verification.sent", "turn.ended"])
    expect(events[0]).toMatchObject({ channel: "email", destination: "a…@b.example" })
  })

  it("lets its turn end if no code can be offered or sent", () => {
    const turnId = refused().turn?.id ?? "trn_"
    const offer = { type: "code-offered", turnId, channels: [] } as const
    expect(types(eventsOf(refused(), offer))).toEqual(["verification.requested", "turn.ended"])
    const failed = { type: "code-failed", verificationId, why: "undelivered" } as const
    expect(types(eventsOf(offered(), failed))).toEqual(["verification.failed", "turn.ended"])
    expect(refusalOf(sent(offered(), failed), verify("right"), { isCode })).toBe("verification.none")
  })

  it("does not hold the turn without a visit", () => {
    const service = given({ ...created, preset: "service" })
    const called = sent(sent(service, prompt("1")), answer("stp_1", call("a", "pay")), { id: "2" })
    const judged = sent(called, { type: "judged", callId: "cal_a", verdict: refuse }, { id: "s" })
    expect(sent(judged, answer("stp_s", "No.")).turn).toBeUndefined()
  })

  it("gets no code when its turn is interrupted, and one that was being sent is void", () => {
    expect(types(eventsOf(refused(), { type: "interrupt" }))).toEqual(["turn.ended"])
    const cut = sent(sent(offered(), prepared), { type: "interrupt" })
    expect(refusalOf(cut, verify("right"), { isCode })).toBe("verification.none")
    expect(refusalOf(cut, { type: "code-sent", verificationId })).toBe("report.stale")
  })

  it("offers the code at the step limit of the turn", () => {
    const few = { ...created, preset: "service" as const, limits: { ...created.limits, stepsPerTurn: 1 } }
    const began = sent(sent(given(few), visit), { ...prompt("1"), visitId })
    const called = sent(began, answer("stp_1", call("a", "pay")), { id: "2" })
    const judged = sent(called, { type: "judged", callId: "cal_a", verdict: refuse })
    expect(requiredEffects(judged)).toMatchObject([{ type: "offer-code" }])
  })
})

describe("a code", () => {
  it("that is right verifies its visit, once", () => {
    const [event, ...more] = eventsOf(onItsWay(offered()), verify("right"), { isCode })
    expect(event).toEqual({ type: "visit.verified", visitId, verificationId, contact: { email: "a@b.example" } })
    expect(more).toEqual([])
    const known = sent(onItsWay(offered()), verify("right"), { isCode })
    expect(refusalOf(known, verify("right"), { isCode })).toBe("verification.none")
    const next = sent(known, { ...prompt("2"), visitId }, { id: "9" })
    expect(verifiedContact(next)).toEqual({ email: "a@b.example" })
    expect(verifiedContact(sent(known, prompt("3"), { id: "9" }))).toBeUndefined()
  })

  it("that is wrong is refused and stored, and the last attempt locks it", () => {
    let state = onItsWay(offered())
    for (const attemptsLeft of [2, 1, 0]) {
      const why = attemptsLeft === 0 ? "too-many-attempts" : "wrong-code"
      const decision = decide(state, verify("wrong"), stamp({ isCode }))
      expect(decision).toEqual({
        kind: "refused",
        refusal: { code: "verification.failed", why, attemptsLeft },
        events: [{ type: "verification.failed", verificationId, why, attemptsLeft, by: you }],
      })
      state = after(state, decision.events ?? [])
    }
    expect(decide(state, verify("right"), stamp({ isCode }))).toEqual({
      kind: "refused",
      refusal: { code: "verification.failed", why: "too-many-attempts", attemptsLeft: 0 },
    })
  })

  it("that has expired is refused even if it is right", () => {
    const late = decide(onItsWay(offered()), verify("right"), stamp({ isCode, at: 5000 }))
    expect(late).toMatchObject({ kind: "refused", refusal: { why: "expired", attemptsLeft: 0 } })
    expect(types(late.events ?? [])).toEqual(["verification.failed"])
    expect(refusalOf(onItsWay(offered()), verify("right"), { isCode, at: 4999 })).toBe("accepted")
  })

  it("of another visit is refused, and so is one before any was issued", () => {
    const other = { ...verify("right"), visitId: "6f1c0f4e-0000-4000-8000-000000000002" }
    expect(refusalOf(onItsWay(offered()), other, { isCode })).toBe("verification.none")
    expect(refusalOf(offered(), verify("right"), { isCode })).toBe("verification.none")
  })

  it("replaces the previous code of the visit as soon as it is issued", () => {
    const began = sent(onItsWay(offered()), { ...prompt("2"), visitId }, { id: "5" })
    const called = sent(began, answer("stp_5", call("b", "pay")), { id: "6" })
    const judged = sent(called, { type: "judged", callId: "cal_b", verdict: refuse }, { id: "7" })
    const again = sent(judged, answer("stp_7", "Who?"))
    const turnId = again.turn?.id ?? "trn_"
    const asked = sent(again, { type: "code-offered", turnId, channels: ["email"] }, { id: "8" })
    expect(refusalOf(asked, verify("right"), { isCode })).toBe("accepted")
    const made = sent(asked, { ...prepared, verificationId: "ver_8" })
    expect(made.verifications).toMatchObject([{ id: "ver_8", visitId, phase: "prepared" }])
    expect(refusalOf(made, verify("right"), { isCode })).toBe("verification.failed")
    const none = sent(asked, { type: "code-failed", verificationId: "ver_8", why: "too-many-codes" })
    expect(refusalOf(none, verify("right"), { isCode })).toBe("accepted")
  })
})

describe("a call that waits for a code", () => {
  it("waits, and passes its gates again once the visitor is verified", () => {
    expect(requiredEffects(parked())).toEqual([{ type: "send-code", id: `code:${verificationId}`, verificationId }])
    const waiting = onItsWay(parked())
    expect(requiredEffects(waiting)).toMatchObject([{ type: "expire-verification", at: 5000 }])
    const known = sent(waiting, verify("right"), { isCode })
    expect(requiredEffects(known)).toEqual([{ type: "run-call", id: "call:cal_a", callId: "cal_a" }])
    expect(verifiedContact(known)).toEqual({ email: "a@b.example" })
  })

  it("waits through wrong codes and is refused with the last one", () => {
    let state = onItsWay(parked())
    for (const _ of [1, 2]) state = after(state, decide(state, verify("wrong"), stamp({ isCode })).events ?? [])
    expect(state.turn?.step?.calls).toMatchObject([{ phase: "asked" }])
    const last = decide(state, verify("wrong"), stamp({ isCode, id: "9" }))
    expect(types(last.events ?? [])).toEqual(["verification.failed", "tool.refused", "step.ended", "step.started"])
  })

  it("is refused when it or its code expires", () => {
    const expired = { type: "verification-expired", verificationId } as const
    expect(refusalOf(onItsWay(parked(300)), expired, { at: 1299 })).toBe("report.stale")
    expect(types(eventsOf(onItsWay(parked(300)), expired, { at: 1300, id: "9" }))).toContain("tool.refused")
    expect(types(eventsOf(onItsWay(parked()), expired, { at: 5000, id: "9" }))).toContain("tool.refused")
    expect(refusalOf(onItsWay(offered()), expired, { at: 9000 })).toBe("report.stale")
  })

  it("ends with its turn, together with its code", () => {
    const cut = eventsOf(onItsWay(parked()), { type: "interrupt" })
    expect(types(cut)).toEqual(["tool.ended", "verification.failed", "turn.ended"])
    expect(refusalOf(after(onItsWay(parked()), cut), verify("right"), { isCode })).toBe("verification.none")
  })

  it("wakes a hibernated session with its code", () => {
    const asleep = sent(onItsWay(parked()), { type: "hibernate" })
    expect(types(eventsOf(asleep, verify("right"), { isCode }))).toEqual(["session.woken", "visit.verified"])
  })

  it("accepts the code from another visit and verifies the visit that started its turn", () => {
    const other = { ...verify("right"), visitId: "6f1c0f4e-0000-4000-8000-000000000002" }
    expect(eventsOf(onItsWay(parked()), other, { isCode })).toMatchObject([{ type: "visit.verified", visitId }])
  })

  it("does not wait if its turn was not started by a visit", () => {
    const service = given({ ...created, preset: "service" })
    const called = sent(sent(service, prompt("1")), answer("stp_1", call("a", "pay")), { id: "2" })
    const report = { type: "code-needed", callId: "cal_a", channels: ["email"], waitMs: undefined } as const
    expect(refusalOf(called, report)).toBe("report.stale")
  })
})
