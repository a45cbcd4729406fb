import { describe, expect, it } from "vitest"
import type { CommandOf } from "../../contract/commands.ts"
import type { AskCause } from "../../contract/values.ts"
import { decide } from "../../session/decide.ts"
import {
  ask,
  call,
  calling,
  eventsOf,
  ready,
  refusalOf,
  sent,
  stamp,
  types,
  you,
} from "../../session/fixtures/given.ts"
import type { RunnerReport } from "../../session/report.ts"
import { requiredEffects } from "../../session/required-effects.ts"
import { findCall } from "../../session/state.ts"

describe("an approval", () => {
  const asked = sent(calling(call("a")), ask("a", 5000), { id: "9" })
  const approve = { type: "approve", approvalId: "apr_9", approved: true } as const

  it("holds its call back until it is answered", () => {
    expect(requiredEffects(asked)).toMatchObject([{ type: "expire-approval", at: 6000 }])
    expect(refusalOf(asked, ready("a"))).toBe("report.stale")
    expect(requiredEffects(sent(asked, approve))).toMatchObject([{ type: "run-call", callId: "cal_a" }])
  })

  it("has one outcome; a second answer gets the name of the decider", () => {
    const decision = decide(sent(asked, approve), { ...approve, approved: false }, stamp())
    expect(decision).toMatchObject({ refusal: { code: "approval.settled", outcome: "approved", by: you } })
  })

  it("that is denied refuses the call with the name, the note and the reason of the request", () => {
    expect(eventsOf(asked, { ...approve, approved: false, note: "not today" })).toMatchObject([
      { type: "approval.decided", outcome: "denied" },
      { type: "tool.refused", reason: "Denied by you: not today. Why it was asked: it is unsafe" },
      { type: "step.ended" },
      { type: "step.started" },
    ])
  })

  it("is refused at once where no approver is connected, and stays on record", () => {
    const events = eventsOf(calling(call("a")), ask("a", 0))
    expect(types(events).slice(0, 3)).toEqual(["approval.requested", "approval.decided", "tool.refused"])
    expect(events[2]).toMatchObject({ reason: expect.stringMatching(/no approver is connected.*it is unsafe$/) })
  })

  it("may be remembered, and revoked", () => {
    const granted = sent(asked, { ...approve, remember: { pattern: "npm test*", scope: "session" } }, { id: "5" })
    expect(granted.grants).toEqual([{ grantId: "grt_5", tool: "bash", pattern: "npm test*", scope: "session" }])
    expect(sent(granted, { type: "revoke-grant", grantId: "grt_5" }).grants).toEqual([])
    expect(refusalOf(granted, { type: "revoke-grant", grantId: "grt_6" })).toBe("grant.unknown")
  })

  it("is for exact arguments: a call with other arguments is refused when it is ready", () => {
    const events = eventsOf(sent(asked, approve), ready("a", "another digest"))
    expect(events[0]).toMatchObject({ type: "tool.refused", by: "approvals" })
  })

  it("is refused from a client that showed other arguments", () => {
    expect(refusalOf(asked, { ...approve, digest: "another digest" })).toBe("approval.changed")
  })

  it("expires at its deadline, not before, and cannot be given afterwards", () => {
    const expired: RunnerReport = { type: "approval-expired", approvalId: "apr_9" }
    expect(refusalOf(asked, expired, { at: 5999 })).toBe("report.stale")
    expect(types(eventsOf(asked, expired, { at: 6000 })).slice(0, 2)).toEqual(["approval.decided", "tool.refused"])
    expect(refusalOf(asked, approve, { at: 6000 })).toBe("approval.settled")
  })
})

describe("a call that is changed when it is approved", () => {
  const asked = sent(calling(call("a")), ask("a"), { id: "9" })
  const input = { command: "make test" }
  const edit = { type: "approve", approvalId: "apr_9", approved: true, input } as const
  const edited = sent(asked, edit)

  it("is stored as changed by the person, and passes its gates again", () => {
    expect(eventsOf(asked, edit)).toMatchObject([
      { type: "approval.decided", outcome: "approved" },
      { type: "tool.modified", callId: "cal_a", input, by: "you" },
    ])
    expect(findCall(edited, "cal_a")).toMatchObject({ phase: "called", input, modified: true })
    expect(requiredEffects(edited)).toMatchObject([{ type: "run-call", callId: "cal_a" }])
  })

  it("is not asked about again: the approval is bound to the new arguments", () => {
    const again = { ...ask("a"), digest: "of the new arguments" }
    expect(eventsOf(edited, again)).toEqual([
      { type: "approval.bound", approvalId: "apr_9", callId: "cal_a", digest: "of the new arguments" },
    ])
    const bound = sent(edited, again)
    expect(eventsOf(bound, ready("a", "of the new arguments"))).toMatchObject([{ type: "tool.started" }])
    expect(eventsOf(bound, ready("a", "of other arguments"))).toMatchObject([
      { type: "tool.refused" },
      { type: "step.ended" },
      { type: "step.started" },
    ])
  })

  it.each<[readonly AskCause[], "driver" | "approver"]>([
    [["preset", "untrusted"], "driver"],
    [["extension"], "driver"],
    [["preset"], "approver"],
  ])("is asked about again for a new reason: %j of the %s", (causes, audience) => {
    const request = { reason: "r", digest: "d", waitMs: undefined, causes, audience }
    expect(types(eventsOf(edited, { type: "approval-needed", callId: "cal_a", ...request }))).toEqual([
      "approval.requested",
    ])
  })

  it("is a plain approval if nothing is changed", () => {
    const same = findCall(asked, "cal_a")?.input
    expect(types(eventsOf(asked, { ...edit, input: same }))).toEqual(["approval.decided"])
  })

  it("is not changed by a denial, a flag or a late answer", () => {
    expect(types(eventsOf(asked, { ...edit, approved: false }))).not.toContain("tool.modified")
    expect(refusalOf(asked, { ...edit, policy: ["--yes"] })).toBe("approval.person")
    expect(refusalOf(edited, edit)).toBe("approval.settled")
  })
})

describe("an answer by a flag", () => {
  const yes: CommandOf<"approve"> = { type: "approve", approvalId: "apr_3", approved: true, policy: ["--yes"] }
  const asked = sent(calling(call("a")), ask("a"), { id: "3" })

  it("is stored under the flag's name", () => {
    const [decided] = eventsOf(asked, yes)
    expect(decided).toMatchObject({ type: "approval.decided", by: { principal: "policy:--yes", door: you.door } })
  })

  it("is refused where a person must look, and stores no permission", () => {
    const unsettled = {
      ...asked,
      approvals: asked.approvals.map((one) => ({ ...one, causes: ["unsettled" as const] })),
    }
    const ofOldRelease = { ...asked, approvals: asked.approvals.map((one) => ({ ...one, causes: undefined })) }
    expect(refusalOf(unsettled, yes)).toBe("approval.person")
    expect(refusalOf(ofOldRelease, yes)).toBe("approval.person")
    expect(refusalOf(asked, { ...yes, remember: { pattern: "*", scope: "session" } })).toBe("approval.person")
  })

  it("does not cover a call that the preset asks about while an earlier outcome is unknown", () => {
    const state = sent({ ...calling(call("a")), unsettledTools: ["bash"] }, ask("a"), { id: "3" })
    expect(state.approvals[0]).toMatchObject({ causes: ["preset", "unsettled"] })
    expect(refusalOf(state, yes)).toBe("approval.person")
  })
})
