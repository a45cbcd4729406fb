import { describe, expect, it } from "vitest"
import type { CommandOf } from "../../../contract/commands.ts"
import { answer, eventsOf, given, prompt, sent, types, you } from "../../../session/fixtures/given.ts"

const participants = { user: "6f1c0f4e-0000-4000-8000-00000000000a", agent: "6f1c0f4e-0000-4000-8000-00000000000b" }
const open = (number: number, change: Partial<CommandOf<"open-visit">> = {}): CommandOf<"open-visit"> => ({
  type: "open-visit",
  visitId: `6f1c0f4e-0000-4000-8000-00000000000${number}`,
  agentId: "shop",
  contact: {},
  participants,
  ...change,
})

describe("a visit", () => {
  it("is stored with who came in, and leaves a running turn alone", () => {
    const busy = sent(given(), prompt("1"))
    const events = eventsOf(busy, open(1, { supports: ["identity_form"], contact: { name: "Ada" } }))
    expect(types(events)).toEqual(["visit.opened"])
    expect(events[0]).toMatchObject({ principal: you.principal, agentId: "shop", participants })
    expect(sent(busy, open(1, { contact: { name: "Ada" } }))).toMatchObject({
      turn: busy.turn,
      contact: { name: "Ada" },
    })
  })

  it("that says nothing of its client inherits what the last one said; an empty list takes it back", () => {
    const first = sent(given(), open(1, { supports: ["choice_chips", "unheard_of"] }))
    const second = sent(first, open(2))
    expect(second.visit).toMatchObject({ visitId: open(2).visitId, supports: ["choice_chips", "unheard_of"] })
    expect(sent(second, open(3, { supports: [] })).visit?.supports).toEqual([])
    expect(sent(given(), open(1)).visit?.supports).toEqual([])
  })

  it("adds to what is known of the visitor and forgets nothing", () => {
    const first = sent(given(), open(1, { contact: { name: "Ada", phone: "+14155552671" } }))
    const { contact } = sent(first, open(2, { contact: { name: "Ada L." } }))
    expect(contact).toEqual({ name: "Ada L.", phone: "+14155552671" })
  })

  it("reopens a session that has ended", () => {
    const ended = sent(given(), { type: "end", when: "now" })
    expect(types(eventsOf(ended, open(1)))).toEqual(["session.reopened", "visit.opened"])
  })
})

describe("a prompt with a model and a skill of its own", () => {
  it("has them for its turn and no other", () => {
    const state = sent(given(), { ...prompt("1"), model: "quick", skill: "returns" })
    expect(state.turn).toMatchObject({ model: "quick", skill: "returns" })
    const events = eventsOf(given(), { ...prompt("1"), model: "quick", skill: "returns" })
    expect(events.find(({ type }) => type === "step.started")).toMatchObject({ model: "quick" })
    const next = sent(sent(state, answer("stp_1", "Done.")), prompt("2"), { id: "2" })
    expect(next.turn).toMatchObject({ model: "offline/demo", skill: undefined })
  })

  it("waits for its own turn with them", () => {
    const busy = sent(sent(given(), prompt("1")), { ...prompt("2"), model: "quick" })
    expect(busy.turn?.model).toBe("offline/demo")
    expect(sent(busy, answer("stp_1", "Done."), { id: "2" }).turn?.model).toBe("quick")
  })
})

describe("an interrupt that names a turn", () => {
  it("ends that one, and leaves any other alone", () => {
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

  it("are marked in the turn to which their prompt belongs", () => {
    expect(sent(given(), prompt("1")).turn?.hasFiles).toBe(false)
    const state = sent(given(), { ...prompt("1"), files: [file] })
    expect(state.turn?.hasFiles).toBe(true)
    expect(JSON.stringify(state)).not.toContain("AAAA")
  })

  it("count as attachments do", () => {
    const data = "A".repeat(25 * 1024 * 1024)
    expect(() => sent(given(), { ...prompt("1"), files: [{ ...file, data }] })).toThrow("prompt.too-large")
  })
})
