import { describe, expect, it } from "vitest"
import type { Question, ServerAsk } from "../../contract/values.ts"
import { answer, call, eventsOf, given, prompt, ready, refusalOf, sent, types } from "../../session/fixtures/given.ts"
import { requiredEffects } from "../../session/required-effects.ts"
import { findCall, type SessionState } from "../../session/state.ts"
import type { ApprovalNeeded } from "./state.ts"

const questions: Question[] = [{ question: "Size?", options: [{ label: "S" }, { label: "L" }] }]
const elicits: ServerAsk = { name: "shop", wants: "answers" }
const promptText = { messages: [{ role: "user" as const, text: "Name it" }], maxTokens: 10 }
const samples: ServerAsk = { name: "shop", wants: "model", prompt: promptText }

const base = { type: "approval-needed", callId: "cal_a", reason: "r", digest: "d", causes: undefined } as const
const elicitation: ApprovalNeeded = { ...base, audience: "driver", waitMs: undefined, server: elicits, questions }
const sampling: ApprovalNeeded = { ...base, audience: "driver", waitMs: undefined, server: samples }
const approve = { type: "approve", approvalId: "apr_3", approved: true } as const

function running(): SessionState {
  return sent(sent(sent(given(), prompt("1")), answer("stp_1", call("a")), { id: "2" }), ready("a"))
}

function asked(request: ApprovalNeeded, state = running()): SessionState {
  return sent(state, request, { id: "3" })
}

describe("a request of an MCP server", () => {
  it("is made by a running call, which goes on running", () => {
    const [requested] = eventsOf(running(), elicitation)
    expect(requested).toMatchObject({ type: "approval.requested", tool: "elicitation", server: elicits, questions })
    expect(eventsOf(running(), sampling)).toMatchObject([{ tool: "sampling", server: samples }])
    expect(findCall(asked(elicitation), "cal_a")?.phase).toBe("started")
  })

  it("is refused to a call that does not run", () => {
    const called = sent(sent(given(), prompt("1")), answer("stp_1", call("a")), { id: "2" })
    expect(refusalOf(called, elicitation)).toBe("report.stale")
    const ended = sent(running(), { type: "call-settled", callId: "cal_a", outcome: "done", output: "" })
    expect(refusalOf(ended, sampling)).toBe("report.stale")
  })

  it("keeps its answers in the event of the decision, and the call runs on", () => {
    expect(eventsOf(asked(elicitation), { ...approve, answer: "2" })).toEqual([
      expect.objectContaining({ outcome: "approved", answer: "L", answers: [{ options: ["L"] }] }),
    ])
    expect(eventsOf(asked(elicitation), { ...approve, answer: "huge" })).toMatchObject([
      { answers: [{ options: [], text: "huge" }] },
    ])
  })

  it("leaves the call alone when it is denied or expires", () => {
    for (const request of [elicitation, sampling]) {
      const denied = eventsOf(asked(request), { ...approve, approved: false, note: "no" })
      expect(denied).toMatchObject([{ type: "approval.decided", outcome: "denied", note: "no" }])
      const late = asked({ ...request, waitMs: 5 })
      expect(eventsOf(late, { type: "approval-expired", approvalId: "apr_3" }, { at: 2000 })).toMatchObject([
        { type: "approval.decided", outcome: "expired" },
      ])
      expect(types(eventsOf(running(), { ...request, waitMs: 0 }))).toEqual(["approval.requested", "approval.decided"])
    }
  })

  it("expires at its deadline", () => {
    expect(requiredEffects(asked({ ...elicitation, waitMs: 5 }))).toContainEqual(
      expect.objectContaining({ type: "expire-approval", at: 1005 }),
    )
  })

  it("is void when its call ends, at an interrupt and for the next host", () => {
    const isVoid = expect.objectContaining({ type: "approval.decided", approvalId: "apr_3", outcome: "void" })
    for (const state of [asked(elicitation), asked(sampling)]) {
      const settled = { type: "call-settled", callId: "cal_a", outcome: "done", output: "" } as const
      expect(eventsOf(state, settled)).toContainEqual(isVoid)
      expect(eventsOf(state, { type: "interrupt" })).toContainEqual(isVoid)
      expect(eventsOf(state, { type: "recover", evidence: {} })).toContainEqual(isVoid)
      expect(eventsOf(state, { type: "approval-withdrawn", approvalId: "apr_3" })).toEqual([isVoid])
    }
  })

  it("has one outcome", () => {
    const settled = sent(asked(elicitation), { ...approve, answer: "1" })
    expect(refusalOf(settled, { ...approve, answer: "2" })).toBe("approval.settled")
    expect(refusalOf(settled, { type: "approval-withdrawn", approvalId: "apr_3" })).toBe("report.stale")
  })

  it.each([
    ["a permission", { remember: { pattern: "*", scope: "session" } }, "answer.invalid"],
    ["changed arguments", { input: {} }, "answer.invalid"],
    ["--yes", { policy: ["--yes"] }, "approval.person"],
    ["--allow-tool and --allow-untrusted", { policy: ["--allow-tool", "--allow-untrusted"] }, "approval.person"],
  ] as const)("is not approved with %s", (_, change, code) => {
    const changed = "policy" in change ? { policy: [...change.policy] } : change
    expect(refusalOf(asked(sampling), { ...approve, ...changed })).toBe(code)
    expect(refusalOf(asked(elicitation), { ...approve, answer: "1", ...changed })).toBe(code)
  })

  it("for the model takes no answer, and a question takes no plain yes", () => {
    expect(refusalOf(asked(sampling), { ...approve, answer: "1" })).toBe("answer.invalid")
    expect(refusalOf(asked(elicitation), approve)).toBe("answer.invalid")
  })

  it("needs an approver where visitors talk to the session", () => {
    const drive = { roles: ["watch", "drive"] }
    expect(refusalOf(asked(elicitation), { ...approve, answer: "1" }, drive)).toBe("accepted")
    expect(refusalOf(asked(sampling), approve, drive)).toBe("role.missing")
    const forApprover = asked({ ...elicitation, audience: "approver" })
    expect(refusalOf(forApprover, { ...approve, answer: "1" }, drive)).toBe("role.missing")
    expect(refusalOf(forApprover, { ...approve, answer: "1" }, { roles: ["approve"] })).toBe("accepted")
  })

  it("charges what the model cost, also after the call has ended", () => {
    const usage = { input: 5, output: 2, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
    const sampled = { type: "sampled", callId: "cal_a", server: "shop", model: "m", usage, costUsd: 0.5 } as const
    for (const state of [running(), sent(running(), { type: "interrupt" })])
      expect(sent(state, sampled).spent).toEqual({ usd: 0.5, tokens: 7 })
  })

  it("does not clear the mark of untrusted text", () => {
    const tainted = { ...running(), taintedBy: "a page" }
    expect(sent(asked(elicitation, tainted), { ...approve, answer: "1" }).taintedBy).toBe("a page")
  })
})
