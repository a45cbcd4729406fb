import { describe, expect, it } from "vitest"
import type { Role } from "../contract/values.ts"
import { answer, call, given, prompt, refusalOf, sent } from "./given.ts"
import type { SessionState } from "./state.ts"

const approve = { type: "approve", approvalId: "apr_3", approved: true } as const
const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
const participants = { user: visitId, agent: visitId }
const visit = { type: "open-visit", visitId, agentId: "shop", contact: {}, participants } as const

function asked(audience: "driver" | "approver", state = given()): SessionState {
  const called = sent(sent(state, prompt("1")), answer("stp_1", call("a")), { id: "2" })
  const verdict = { kind: "ask", reason: "r", audience, causes: ["preset"], digest: "d", waitMs: undefined } as const
  return sent(called, { type: "judged", callId: "cal_a", verdict }, { id: "3" })
}

describe("a role", () => {
  it.each<[Role[] | undefined, string, string, string]>([
    [undefined, "accepted", "accepted", "accepted"],
    [[], "role.missing", "role.missing", "role.missing"],
    [["watch"], "role.missing", "role.missing", "role.missing"],
    [["drive"], "accepted", "accepted", "role.missing"],
    [["approve"], "role.missing", "accepted", "accepted"],
    [["watch", "drive", "approve"], "accepted", "accepted", "accepted"],
  ])("%j may speak: %s, answer who drives: %s, answer for the house: %s", (roles, speaks, confirms, approves) => {
    expect(refusalOf(given(), prompt("1"), { roles })).toBe(speaks)
    expect(refusalOf(asked("driver"), approve, { roles })).toBe(confirms)
    expect(refusalOf(asked("approver"), approve, { roles })).toBe(approves)
  })

  it("is needed before anything is said about what is there", () => {
    expect(refusalOf(given(), approve, { roles: ["watch"] })).toBe("role.missing")
    expect(refusalOf(given(), approve, { roles: ["approve"] })).toBe("approval.unknown")
    expect(refusalOf(given(), { type: "interrupt" }, { roles: ["approve"] })).toBe("role.missing")
  })

  it("does not let a visitor decide what the house is asked, not even one who came long ago", () => {
    const jane = { by: { principal: "jane", door: "ws" } }
    const visited = sent(sent(given(), visit, jane), visit, { by: { principal: "joe", door: "ws" } })
    const state = asked("approver", visited)
    const as = (principal: string) =>
      refusalOf(state, approve, { by: { principal, door: "console" }, roles: ["approve"] })
    expect([as("jane"), as("joe"), as("clerk")]).toEqual(["approval.own", "approval.own", "accepted"])
    expect(refusalOf(asked("driver", visited), approve, { ...jane, roles: ["drive"] })).toBe("accepted")
  })
})
