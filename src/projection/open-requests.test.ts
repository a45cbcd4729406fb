import { describe, expect, it } from "vitest"
import type { Recorded, SessionEvent } from "../contract/events.ts"
import { findApproval, foldRequests, noRequests, requestsIn, type OpenRequests } from "./open-requests.ts"
import { emptyTranscript, foldTranscript } from "./transcript.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"
const childId = "01890000-0000-7000-8000-000000000002"

const approval = {
  type: "approval.requested",
  approvalId: "apr_1",
  callId: "cal_1",
  tool: "bash",
  digest: "d",
  reason: "changes files",
  audience: "driver",
  expiresAt: 90,
} as const satisfies SessionEvent
const childAsked = {
  type: "child.asked",
  childId,
  sessionId: childId,
  approvalId: "apr_2",
  tool: "write",
  input: { path: "a" },
  digest: "d",
  reason: "changes files",
  audience: "approver",
  changes: [{ path: "a", added: 1, removed: 0, lines: [], isNew: true }],
} as const satisfies SessionEvent
const verification = {
  type: "verification.requested",
  verificationId: "ver_1",
  visitId: "01890000-0000-4000-8000-000000000003",
  callId: "cal_1",
  tool: "orders",
  channels: ["email"],
} as const satisfies SessionEvent
const interaction = {
  type: "interaction.requested",
  interactionId: "int_1",
  callId: "cal_1",
  kind: "choices",
  spec: {},
  reason: "which one",
} as const satisfies SessionEvent

function after(...events: readonly SessionEvent[]): OpenRequests {
  return events
    .map((event, index): Recorded => ({ seq: index + 1, at: 10 * (index + 1), event }))
    .reduce((open, recorded) => foldRequests(open, recorded, sessionId, () => ({ command: "ls" })), noRequests)
}

describe("open requests", () => {
  it("hold an approval with its call until it is decided, with any outcome", () => {
    expect(after(approval).approvals).toMatchObject([
      { approvalId: "apr_1", sessionId, tool: "bash", input: { command: "ls" }, expiresAt: 90, seq: 1, at: 10 },
    ])
    expect(after(approval, { type: "approval.decided", approvalId: "apr_1", outcome: "void" }).approvals).toEqual([])
  })

  it("hold a connection of a running call with where it goes, not with the arguments of the call", () => {
    const connection = { host: "example.com", port: 443 }
    const request = { ...approval, tool: "network", connection } as const
    expect(after(request).approvals).toMatchObject([{ callId: "cal_1", tool: "network", input: connection }])
    const called = { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "bash", input: {} } as const
    const started = {
      type: "tool.started",
      callId: "cal_1",
      class: "unsafe",
      digest: "d",
      idempotencyKey: "k",
    } as const
    const transcript = emptyTranscript()
    for (const [index, event] of [called, started, request].entries())
      foldTranscript(transcript, { seq: index + 1, at: index, event })
    expect(transcript.items).toMatchObject([{ kind: "call", state: "running" }])
    expect(requestsIn(transcript.items, sessionId).approvals).toMatchObject([{ tool: "network", input: connection }])
    foldTranscript(transcript, {
      seq: 4,
      at: 4,
      event: { type: "approval.decided", approvalId: "apr_1", outcome: "approved" },
    })
    expect(transcript.items).toMatchObject([{ kind: "call", state: "running" }])
    expect(requestsIn(transcript.items, sessionId).approvals).toEqual([])
  })

  it("hold requests of descendants with the session's own, oldest first", () => {
    const open = after(childAsked, approval)
    expect(open.approvals.map(({ sessionId: asker }) => asker)).toEqual([childId, sessionId])
    expect(findApproval(open, "apr_2")).toMatchObject({ input: { path: "a" }, changes: childAsked.changes })
    const answered = after(childAsked, approval, {
      type: "child.answered",
      childId,
      approvalId: "apr_2",
      outcome: "denied",
    })
    expect(answered.approvals.map(({ approvalId }) => approvalId)).toEqual(["apr_1"])
  })

  it("hold an interaction until it is answered or its turn ends", () => {
    expect(after(interaction).interaction).toMatchObject({ interactionId: "int_1", kind: "choices" })
    const answered = after(interaction, { type: "interaction.answered", interactionId: "int_1", outcome: "declined" })
    expect(answered.interaction).toBeUndefined()
    expect(after(interaction, { type: "turn.ended", turnId: "trn_1", reason: "done" }).interaction).toBeUndefined()
  })

  it("hold a code request until the code is right or void", () => {
    const failed = { type: "verification.failed", verificationId: "ver_1", attemptsLeft: 1 } as const
    expect(after(verification).verification).toMatchObject({ verificationId: "ver_1", channels: ["email"] })
    expect(after(verification, { ...failed, why: "wrong-code" }).verification).toBeDefined()
    expect(after(verification, { ...failed, why: "expired" }).verification).toBeUndefined()
    const verified = {
      type: "visit.verified",
      visitId: verification.visitId,
      verificationId: "ver_1",
      contact: {},
    } as const
    expect(after(verification, verified).verification).toBeUndefined()
  })

  it("hold no code request without a channel", () => {
    expect(after({ ...verification, channels: [] }).verification).toBeUndefined()
  })

  it("are the same value after an event that is neither a request nor an answer", () => {
    const open = after(approval)
    const other = { type: "session.renamed", name: "n", by: { principal: "you", door: "test" } } as const
    expect(foldRequests(open, { seq: 9, at: 9, event: other }, sessionId)).toBe(open)
  })
})
