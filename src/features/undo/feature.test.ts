import { describe, expect, it } from "vitest"
import { answer, eventsOf, given, prompt, refusalOf, sent, types } from "../../session/fixtures/given.ts"
import { requiredEffects } from "../../session/required-effects.ts"
import type { SessionState } from "../../session/state.ts"

const noFiles = { turns: 1, files: [], moreFiles: 0, reverted: 0, conflicts: 0, notReverted: [] }

function afterTurns(count: number): SessionState {
  let state = given()
  for (let turn = 1; turn <= count; turn++) {
    state = sent(state, prompt(String(turn)), { id: `${turn}` })
    state = sent(state, answer(`stp_${turn}`, "done"), { id: `${turn}x` })
  }
  return state
}

function undone(state: SessionState, turns = 1): SessionState {
  const started = sent(state, { type: "undo", turns }, { id: "u" })
  return sent(started, { type: "undone", undoId: "und_u", report: noFiles })
}

describe("undo", () => {
  it("stores its intent, requires the effect and rewinds the conversation after the report", () => {
    const state = afterTurns(2)
    const started = sent(state, { type: "undo" }, { id: "u" })
    expect(started.undoing).toMatchObject({ undoId: "und_u", toSeq: state.restingPlaces.at(-2) })
    expect(requiredEffects(started)).toEqual([{ type: "undo-files", id: "undo:und_u", undoId: "und_u" }])
    const events = eventsOf(started, { type: "undone", undoId: "und_u", report: noFiles })
    expect(types(events)).toEqual(["undo.ended", "context.rewound"])
  })

  it("goes back further each time, and is refused where no turn is left", () => {
    const state = undone(undone(afterTurns(3)))
    expect(state.turnSpans).toHaveLength(1)
    expect(refusalOf(state, { type: "undo", turns: 2 })).toBe("context.no-turns")
    expect(refusalOf(undone(state), { type: "undo" })).toBe("context.no-turns")
  })

  it("undoes several turns at once", () => {
    expect(undone(afterTurns(3), 2).turnSpans).toMatchObject([{ turnId: "trn_1" }])
  })

  it("is refused while a turn runs", () => {
    expect(refusalOf(sent(afterTurns(1), prompt("9"), { id: "9" }), { type: "undo" })).toBe("session.busy")
  })

  it("keeps prompts waiting and refuses changes of the conversation until its report", () => {
    const started = sent(afterTurns(2), { type: "undo" }, { id: "u" })
    expect(refusalOf(started, { type: "rewind" })).toBe("session.busy")
    expect(refusalOf(started, { type: "undo" })).toBe("session.busy")
    const waiting = sent(started, prompt("9"), { id: "9" })
    expect(waiting.turn).toBeUndefined()
    const report = { type: "undone", undoId: "und_u", report: noFiles } as const
    expect(types(eventsOf(waiting, report))).toContain("turn.started")
  })

  it("keeps the turn where nothing could be done", () => {
    const started = sent(afterTurns(1), { type: "undo" }, { id: "u" })
    const report = { ...noFiles, refused: "the folder is in use" }
    const events = eventsOf(started, { type: "undone", undoId: "und_u", report })
    expect(types(events)).toEqual(["undo.ended"])
    expect(sent(started, { type: "undone", undoId: "und_u", report }).turnSpans).toHaveLength(1)
  })

  it("keeps the conversation where it was cleared since the turn, and still reverts files", () => {
    const cleared = sent(afterTurns(1), { type: "clear-context" })
    const started = sent(cleared, { type: "undo" }, { id: "u" })
    expect(started.undoing?.toSeq).toBeUndefined()
    const events = eventsOf(started, { type: "undone", undoId: "und_u", report: noFiles })
    expect(events).toMatchObject([{ type: "undo.ended", report: { conversation: "kept" } }])
  })

  it("refuses a client without the role drive, and a late report", () => {
    expect(refusalOf(afterTurns(1), { type: "undo" }, { roles: ["watch"] })).toBe("role.missing")
    expect(refusalOf(afterTurns(1), { type: "undone", undoId: "und_x", report: noFiles })).toBe("report.stale")
  })
})
