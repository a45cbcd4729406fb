import { describe, expect, it } from "vitest"
import { answer, eventsOf, given, prompt, sent, types } from "./fixtures/given.ts"

describe("a prompt with a model and a skill", () => {
  it("uses them in its own turn only", () => {
    const state = sent(given(), { ...prompt("1"), model: "quick", skill: "returns" })
    expect(state.turn).toMatchObject({ model: "quick", skill: "returns" })
    const events = eventsOf(given(), { ...prompt("1"), model: "quick", skill: "returns" })
    expect(events.find(({ type }) => type === "step.started")).toMatchObject({ model: "quick" })
    const next = sent(sent(state, answer("stp_1", "Done.")), prompt("2"), { id: "2" })
    expect(next.turn).toMatchObject({ model: "offline/demo", skill: undefined })
  })

  it("keeps them while it waits", () => {
    const busy = sent(sent(given(), prompt("1")), { ...prompt("2"), model: "quick" })
    expect(busy.turn?.model).toBe("offline/demo")
    expect(sent(busy, answer("stp_1", "Done."), { id: "2" }).turn?.model).toBe("quick")
  })
})

describe("an interrupt that names a turn", () => {
  it("ends that turn and no other", () => {
    const busy = sent(given(), prompt("1"))
    const turnId = busy.turn?.id
    expect(types(eventsOf(busy, { type: "interrupt", turnId }))).toEqual(["turn.ended"])
    expect(eventsOf(busy, { type: "interrupt", turnId: "trn_other" })).toEqual([])
    expect(eventsOf(given(), { type: "interrupt", turnId })).toEqual([])
    const compacting = sent(given(), { type: "compact" })
    expect(eventsOf(compacting, { type: "interrupt", turnId })).toEqual([])
  })
})

describe("files for tools", () => {
  const file = { name: "a.pdf", mediaType: "application/pdf", data: "AAAA" }

  it("are marked in the turn of their prompt", () => {
    expect(sent(given(), prompt("1")).turn?.hasFiles).toBe(false)
    const state = sent(given(), { ...prompt("1"), files: [file] })
    expect(state.turn?.hasFiles).toBe(true)
    expect(JSON.stringify(state)).not.toContain("AAAA")
  })

  it("count towards the limit of attachments", () => {
    const data = "A".repeat(25 * 1024 * 1024)
    expect(() => sent(given(), { ...prompt("1"), files: [{ ...file, data }] })).toThrow("prompt.too-large")
  })
})
