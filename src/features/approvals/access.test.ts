import { describe, expect, it } from "vitest"
import type { AskCause, Role } from "../../contract/values.ts"
import { answer, call, given, prompt, ready, refusalOf, sent } from "../../session/fixtures/given.ts"
import type { SessionState } from "../../session/state.ts"

const approve = { type: "approve", approvalId: "apr_3", approved: true } as const
const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
const participants = { user: visitId, agent: visitId }
const visit = { type: "open-visit", visitId, agentId: "shop", contact: {}, participants } as const

interface Asked {
  readonly audience?: "driver" | "approver"
  readonly causes?: readonly AskCause[]
  readonly state?: SessionState
}

function asked({ audience = "driver", causes = ["preset"], state = given() }: Asked = {}): SessionState {
  const called = sent(sent(state, prompt("1")), answer("stp_1", call("a")), { id: "2" })
  const request = { reason: "r", audience, causes, digest: "d", waitMs: undefined } as const
  return sent(called, { type: "approval-needed", callId: "cal_a", ...request }, { id: "3" })
}

describe("a role", () => {
  it.each<[Role[] | undefined, string, string, string, string, string]>([
    [undefined, "accepted", "accepted", "accepted", "accepted", "accepted"],
    [[], "role.missing", "role.missing", "role.missing", "role.missing", "role.missing"],
    [["watch"], "role.missing", "role.missing", "role.missing", "role.missing", "role.missing"],
    [["drive"], "accepted", "role.missing", "accepted", "role.missing", "role.missing"],
    [["approve"], "role.missing", "accepted", "accepted", "accepted", "accepted"],
    [["watch", "drive", "approve"], "accepted", "accepted", "accepted", "accepted", "accepted"],
  ])(
    "%j: prompt %s, approve %s, deny %s, store a permission %s, approve what tools.approve lists %s",
    (roles, prompts, approves, denies, grants, decides) => {
      const remember = { pattern: "*", scope: "session" } as const
      expect(refusalOf(given(), prompt("1"), { roles })).toBe(prompts)
      expect(refusalOf(asked(), approve, { roles })).toBe(approves)
      expect(refusalOf(asked(), { ...approve, approved: false }, { roles })).toBe(denies)
      expect(refusalOf(asked(), { ...approve, remember }, { roles })).toBe(grants)
      expect(refusalOf(asked({ audience: "approver" }), approve, { roles })).toBe(decides)
    },
  )

  it("does not let a principal that can only drive revoke permissions", () => {
    const granted = sent(asked(), { ...approve, remember: { pattern: "*", scope: "session" } }, { id: "4" })
    const revoke = { type: "revoke-grant", grantId: "grt_4" } as const
    expect(refusalOf(granted, revoke, { roles: ["drive"] })).toBe("role.missing")
    expect(refusalOf(granted, revoke, { roles: ["approve"] })).toBe("accepted")
  })

  it("lets flags answer for the local user only", () => {
    const byFlag = { ...approve, policy: ["--yes" as const] }
    expect(refusalOf(asked(), byFlag)).toBe("accepted")
    expect(refusalOf(asked(), byFlag, { roles: ["watch", "drive", "approve"] })).toBe("approval.person")
  })

  it("does not let a visitor allow a connection", () => {
    const jane = { by: { principal: "jane", door: "ws" } }
    const started = sent(
      sent(sent(sent(given(), visit, jane), prompt("1")), answer("stp_1", call("a")), { id: "2" }),
      ready("a"),
    )
    const connection = { host: "example.com", port: 443 }
    const request = { reason: "r", audience: "driver", causes: ["confirm"], digest: "d", waitMs: undefined } as const
    const state = sent(started, { type: "approval-needed", callId: "cal_a", ...request, connection }, { id: "3" })
    expect(refusalOf(state, approve, { ...jane, roles: ["watch", "drive"] })).toBe("role.missing")
    expect(refusalOf(state, { ...approve, approved: false }, { ...jane, roles: ["watch", "drive"] })).toBe("accepted")
    expect(refusalOf(state, approve)).toBe("accepted")
  })

  it("lets a visitor of a local session confirm what tools.confirm lists, and nothing else", () => {
    const jane = { by: { principal: "jane", door: "ws" } }
    const state = sent(given(), visit, jane)
    const as = (causes: readonly AskCause[], who = jane) =>
      refusalOf(asked({ causes, state }), approve, { ...who, roles: ["watch", "drive"] })
    expect(as(["confirm"])).toBe("accepted")
    expect(as(["preset"])).toBe("role.missing")
    const changes = { ...approve, input: { command: "other" } }
    expect(refusalOf(asked({ causes: ["confirm"], state }), changes, { ...jane, roles: ["watch", "drive"] })).toBe(
      "role.missing",
    )
    expect(as(["confirm", "untrusted"])).toBe("role.missing")
    expect(as(["confirm"], { by: { principal: "lnk_1", door: "ws" } })).toBe("role.missing")
  })

  it("is checked before anything about the session is revealed", () => {
    expect(refusalOf(given(), approve, { roles: ["watch"] })).toBe("role.missing")
    expect(refusalOf(given(), approve, { roles: ["approve"] })).toBe("approval.unknown")
    expect(refusalOf(given(), { type: "interrupt" }, { roles: ["approve"] })).toBe("role.missing")
  })

  it("does not let a visitor answer a request to an approver, not even one who visited long ago", () => {
    const jane = { by: { principal: "jane", door: "ws" } }
    const visited = sent(sent(given(), visit, jane), visit, { by: { principal: "joe", door: "ws" } })
    const state = asked({ audience: "approver", state: visited })
    const as = (principal: string) =>
      refusalOf(state, approve, { by: { principal, door: "console" }, roles: ["approve"] })
    expect([as("jane"), as("joe"), as("clerk")]).toEqual(["approval.own", "approval.own", "accepted"])
    const confirmed = asked({ causes: ["confirm"], state: visited })
    expect(refusalOf(confirmed, approve, { ...jane, roles: ["drive"] })).toBe("accepted")
  })
})
