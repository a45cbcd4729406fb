import { describe, expect, it } from "vitest"
import { limits } from "../../contract/limits.ts"
import { answer, eventsOf, given, prompt, refusalOf, sent } from "../../session/fixtures/given.ts"
import type { SessionState } from "../../session/state.ts"

/** A session with so many turns behind it. */
function afterTurns(count: number): SessionState {
  let state = given()
  for (let turn = 1; turn <= count; turn++) {
    state = sent(state, prompt(String(turn)), { id: `${turn}` })
    state = sent(state, answer(`stp_${turn}`, "done"), { id: `${turn}x` })
  }
  return state
}

describe("rewinding", () => {
  it("hides the newest turn by default", () => {
    const state = afterTurns(3)
    expect(eventsOf(state, { type: "rewind" })).toMatchObject([{ toSeq: state.restingPlaces.at(-2) }])
    expect(eventsOf(state, { type: "rewind", turns: 3 })).toMatchObject([{ toSeq: 1 }])
  })

  it("rewinds to a given event if it is the end of a turn", () => {
    const state = afterTurns(2)
    expect(eventsOf(state, { type: "rewind", toSeq: 1 })).toMatchObject([{ type: "context.rewound", toSeq: 1 }])
    expect(refusalOf(state, { type: "rewind", toSeq: 2 })).toBe("context.nothing-there")
  })

  it("never splits a turn, even if the context was compacted within it", () => {
    const asking = sent(afterTurns(1), prompt("9"), { id: "9" })
    const full = sent(asking, { type: "context-full", stepId: "stp_9" }, { id: "c" })
    const smaller = sent(full, {
      type: "compacted",
      compactionId: "cmp_c",
      summary: "so far",
      upToSeq: 3,
      usage: undefined,
      costUsd: undefined,
    })
    const done = sent(smaller, answer("stp_9", "done"), { id: "d" })
    expect(refusalOf(done, { type: "rewind" })).toBe("context.no-turns")
    expect(done.turnEnds).toHaveLength(2)
  })

  it("is refused when there are fewer turns, and while a turn runs", () => {
    expect(refusalOf(afterTurns(1), { type: "rewind", turns: 2 })).toBe("context.no-turns")
    expect(refusalOf(sent(given(), prompt("1")), { type: "rewind" })).toBe("session.busy")
  })
})

describe("a mark", () => {
  it("names the end of the newest turn and can be rewound to", () => {
    const marked = sent(afterTurns(1), { type: "mark", name: "before the change" })
    expect(marked.marks).toEqual([{ name: "before the change", toSeq: marked.restingPlaces.at(-1) }])
    const later = sent(sent(marked, prompt("9"), { id: "9" }), answer("stp_9", "done"), { id: "9x" })
    const toSeq = later.marks[0]?.toSeq
    expect(eventsOf(later, { type: "rewind", toSeq })).toMatchObject([{ type: "context.rewound", toSeq }])
  })

  it("is removed when the conversation is rewound before it or cleared", () => {
    const marked = sent(afterTurns(2), { type: "mark", name: "here" })
    expect(sent(marked, { type: "rewind", toSeq: 1 }).marks).toEqual([])
    expect(sent(marked, { type: "clear-context" }).marks).toEqual([])
  })

  it("is refused past the limit and while a turn runs", () => {
    let state = given()
    for (let mark = 0; mark < limits.marks; mark++) state = sent(state, { type: "mark", name: `${mark}` })
    expect(refusalOf(state, { type: "mark", name: "one more" })).toBe("marks.too-many")
    expect(refusalOf(sent(given(), prompt("1")), { type: "mark", name: "x" })).toBe("session.busy")
  })
})
