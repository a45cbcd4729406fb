import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../../contract/events.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { after, answer, call, eventsOf, given, prompt, refusalOf, sent, you } from "../../../session/fixtures/given.ts"
import type { SessionState } from "../../../session/state.ts"

const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
const visitor = { principal: "visitor", door: "ws" }
const visited: SessionEvent = {
  type: "visit.opened",
  visitId,
  agentId: "shop",
  principal: "visitor",
  contact: {},
  participants: { user: visitId, agent: visitId },
}

/** A call that has run and says this beside its result. */
function calledWith(tool: string, details: JsonValue, outcome: "done" | "failed" = "done"): readonly SessionEvent[] {
  const calling = sent(sent(given(visited), prompt("a")), answer("stp_1", call("1", tool)))
  const running = sent(calling, { type: "call-ready", callId: "cal_1", class: "read", digest: "d", waitMs: undefined })
  return eventsOf(running, { type: "call-settled", callId: "cal_1", outcome, output: "", details })
}

const raised: SessionEvent = { type: "escalation.raised", turnId: "trn_1", callId: "cal_1", reason: "a refund" }
const waiting = (): SessionState => given(visited, raised)
const settled = (events: readonly SessionEvent[]) => events.filter(({ type }) => type === "escalation.settled")

describe("an escalation", () => {
  it("is raised with the result of the tool call", () => {
    expect(calledWith("escalate", { escalation: "a refund" })).toContainEqual(raised)
  })

  it.each([
    ["another tool says the same", calledWith("lookup", { escalation: "a refund" })],
    ["the call has failed", calledWith("escalate", { escalation: "a refund" }, "failed")],
    ["there is no reason", calledWith("escalate", {})],
  ])("is not raised when %s", (_, events) => {
    expect(events.map(({ type }) => type)).not.toContain("escalation.raised")
  })

  it("is settled once, by name", () => {
    const settle = { type: "settle-escalation", note: "called back" } as const
    expect(eventsOf(waiting(), settle)).toEqual([{ type: "escalation.settled", by: you, note: "called back" }])
    expect(refusalOf(sent(waiting(), settle), settle)).toBe("escalation.none")
  })

  it('can be settled only with the role "approve"', () => {
    const settle = { type: "settle-escalation" } as const
    expect(refusalOf(waiting(), settle, { roles: ["watch", "drive"] })).toBe("role.missing")
    expect(refusalOf(waiting(), settle, { roles: ["watch", "approve"] })).toBe("accepted")
  })

  it("is settled by a prompt of an operator, which is admitted", () => {
    const events = eventsOf(waiting(), prompt("b", "I am here."))
    expect(events.slice(0, 2)).toMatchObject([{ type: "escalation.settled", by: you }, { type: "prompt.admitted" }])
  })

  it.each([
    ["a visitor", prompt("b"), { by: visitor }],
    ["a program", { ...prompt("b"), untrustedSource: "ci" }, {}],
    ["another agent", prompt("b"), { by: { principal: "parent", door: "tree" } }],
  ])("is not settled by a prompt of %s", (_, words, change) => {
    const state = waiting()
    const events = eventsOf(state, words, change)
    expect(settled(events)).toEqual([])
    expect(after(state, events).escalation).toEqual({ reason: "a refund" })
  })

  it("is not settled by a refused prompt", () => {
    expect(refusalOf(waiting(), prompt("b", "  "))).toBe("prompt.empty")
  })

  it("is closed when its session ends", () => {
    expect(sent(waiting(), { type: "end", when: "now" }).escalation).toBeUndefined()
  })
})
