import { describe, expect, it } from "vitest"
import { after, created, eventsOf, given, prompt, refusalOf, sent } from "../../session/fixtures/given.ts"
import { type SessionState } from "../../session/state.ts"
import { initialState } from "../../session/evolve.ts"

const enter = { type: "enter-plan" } as const
const exit = { type: "exit-plan" } as const

/** The turn of a first prompt, done. */
function talked(state: SessionState): SessionState {
  const asked = sent(state, prompt("t"))
  return after(asked, [{ type: "turn.ended", turnId: asked.turn?.id ?? "trn_", reason: "done" }])
}

describe("plan mode", () => {
  it("marks every turn until it is left", () => {
    const plan = sent(given(), { ...enter, focus: "auth" }, { id: "5" })
    expect(plan.plan).toEqual({ id: "pln_5", focus: "auth" })
    expect(sent(plan, prompt("1")).turn?.planId).toBe("pln_5")
    expect(sent(sent(plan, exit), prompt("1")).turn?.planId).toBeUndefined()
  })

  it("is entered and left once, not while busy, and not in sessions of the WebSocket API", () => {
    const plan = sent(given(), enter)
    expect(refusalOf(plan, enter)).toBe("plan.already")
    expect(refusalOf(given(), exit)).toBe("plan.not-in")
    expect(refusalOf(sent(given(), prompt("1")), enter)).toBe("session.busy")
    expect(refusalOf(sent(plan, prompt("1")), exit)).toBe("session.busy")
    expect(refusalOf(sent(given(), { type: "compact" }), enter)).toBe("session.busy")
    expect(refusalOf(after(initialState, [{ ...created, preset: "service" }]), enter)).toBe("plan.not-here")
  })

  it("is left with the given summary, or without one if it is empty", () => {
    const plan = sent(given(), enter)
    expect(eventsOf(plan, { ...exit, summary: "do it" })).toMatchObject([{ summary: "do it" }])
    expect(eventsOf(plan, { ...exit, summary: "" })[0]).not.toHaveProperty("summary")
  })

  it("accepts a prompt for a plan only while that plan is open", () => {
    const plan = sent(given(), enter, { id: "5" })
    const words = { ...prompt("1"), planId: "pln_5" } as const
    expect(sent(plan, words).turn?.planId).toBe("pln_5")
    expect(refusalOf(given(), words)).toBe("plan.not-in")
    expect(refusalOf(sent(plan, exit), words)).toBe("plan.not-in")
    expect(refusalOf(plan, { ...words, planId: "pln_6" })).toBe("plan.not-in")
  })

  it("continues the plan that was left last, with its focus or a new one", () => {
    const left = talked(sent(talked(sent(given(), { ...enter, focus: "auth" }, { id: "5" })), exit))
    expect(eventsOf(left, enter, { id: "9" })).toMatchObject([{ planId: "pln_5", focus: "auth" }])
    expect(eventsOf(left, { ...enter, focus: "locks" })).toMatchObject([{ planId: "pln_5", focus: "locks" }])
  })

  it("continues a plan that was open when the session ended", () => {
    const ended = sent(sent(given(), enter, { id: "5" }), { type: "end", when: "now" })
    expect(ended.plan).toBeUndefined()
    const reopened = talked(ended)
    expect(eventsOf(reopened, enter, { id: "9" })).toMatchObject([{ planId: "pln_5" }])
  })

  it("starts a new plan after the conversation was cleared", () => {
    const cleared = sent(sent(sent(given(), enter, { id: "5" }), exit), { type: "clear-context" })
    expect(eventsOf(cleared, enter, { id: "9" })).toMatchObject([{ planId: "pln_9", focus: undefined }])
  })

  it("cannot be left by rewinding: places outside the plan are refused", () => {
    const before = talked(given())
    const plan = talked(sent(before, enter, { id: "5" }))
    expect(refusalOf(plan, { type: "rewind", toSeq: before.restingPlaces.at(-1) })).toBe("context.nothing-there")
    const rewound = sent(plan, { type: "rewind", turns: 1 })
    expect(sent(rewound, prompt("1")).turn?.planId).toBe("pln_5")
  })
})
