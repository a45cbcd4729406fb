import { describe, expect, it } from "vitest"
import type { CommandOf } from "../../../contract/commands.ts"
import { eventsOf, given, prompt, sent, types, you } from "../../../session/fixtures/given.ts"

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
  it("is stored with its principal and does not affect a running turn", () => {
    const busy = sent(given(), prompt("1"))
    const events = eventsOf(busy, open(1, { supports: ["identity_form"], contact: { name: "Ada" } }))
    expect(types(events)).toEqual(["visit.opened"])
    expect(events[0]).toMatchObject({ principal: you.principal, agentId: "shop", participants })
    expect(sent(busy, open(1, { contact: { name: "Ada" } }))).toMatchObject({
      turn: busy.turn,
      contact: { name: "Ada" },
    })
  })

  it("without capabilities inherits those of the last one; an empty list clears them", () => {
    const first = sent(given(), open(1, { supports: ["choice_chips", "unheard_of"] }))
    const second = sent(first, open(2))
    expect(second.visit).toMatchObject({ visitId: open(2).visitId, supports: ["choice_chips", "unheard_of"] })
    expect(sent(second, open(3, { supports: [] })).visit?.supports).toEqual([])
    expect(sent(given(), open(1)).visit?.supports).toEqual([])
  })

  it("adds to the known contact", () => {
    const first = sent(given(), open(1, { contact: { name: "Ada", phone: "+14155552671" } }))
    const { contact } = sent(first, open(2, { contact: { name: "Ada L." } }))
    expect(contact).toEqual({ name: "Ada L.", phone: "+14155552671" })
  })

  it("reopens a session that has ended", () => {
    const ended = sent(given(), { type: "end", when: "now" })
    expect(types(eventsOf(ended, open(1)))).toEqual(["session.reopened", "visit.opened"])
  })
})
