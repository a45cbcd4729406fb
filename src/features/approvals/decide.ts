// One approval, one outcome: the first valid answer wins and later ones are told who decided.
import { policyPrincipal, principalName, uncovered } from "../../contract/approval-policy.ts"
import type { CommandOf } from "../../contract/commands.ts"
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { ApprovalId, CallId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import { accepted, refused, type Decision, type Stamp } from "../../session/decision.ts"
import type { Ask } from "../../session/report.ts"
import { findCall, type ApprovalState, type CallState, type SessionState } from "../../session/state.ts"

/** Where nobody can be asked the answer is no, and the question is still on record. */
export function askApproval(call: CallState, ask: Ask, stamp: Stamp): Decision {
  const asked = requested(call, ask, stamp)
  if (ask.waitMs !== 0) return accepted(asked)
  const why = `It needs an approval, and there is nobody to ask${because(ask.reason)}`
  return accepted(asked, ...expired(asked.approvalId, call.id, why))
}

function requested(call: CallState, ask: Ask, stamp: Stamp): EventOf<"approval.requested"> {
  return {
    type: "approval.requested",
    approvalId: `apr_${stamp.id}`,
    callId: call.id,
    tool: call.tool,
    digest: ask.digest,
    reason: ask.reason,
    audience: ask.audience,
    causes: [...ask.causes],
    expiresAt: ask.waitMs === undefined ? undefined : stamp.at + ask.waitMs,
  }
}

export function answerApproval(state: SessionState, command: CommandOf<"approve">, stamp: Stamp): Decision {
  const { approvalId } = command
  const approval = state.approvals.find((candidate) => candidate.id === approvalId)
  const known = approval ?? state.childApprovals.find((candidate) => candidate.id === approvalId)
  if (known?.outcome !== undefined) {
    return refused({ code: "approval.settled", approvalId, outcome: known.outcome, by: known.by })
  }
  if (approval === undefined) return refused({ code: "approval.unknown", approvalId })
  if (approval.expiresAt !== undefined && stamp.at >= approval.expiresAt) {
    return refused({ code: "approval.settled", approvalId, outcome: "expired" })
  }
  if (command.digest !== undefined && command.digest !== approval.digest) {
    return refused({ code: "approval.changed", approvalId })
  }
  const by = answerer(command, stamp)
  if (!command.approved) return deny(approval, command.note, by)
  if (command.policy !== undefined && !isCovered(approval, command))
    return refused({ code: "approval.person", approvalId })
  const decided = { type: "approval.decided", approvalId, outcome: "approved", by, note: command.note } as const
  const tool = findCall(state, approval.callId)?.tool
  if (command.remember === undefined || tool === undefined) return accepted(decided)
  const { pattern, scope } = command.remember
  return accepted(decided, { type: "policy.granted", grantId: `grt_${stamp.id}`, tool, pattern, scope, by })
}

/** A flag answers only what it covers, and stores no permission. */
function isCovered({ causes }: ApprovalState, { policy = [], remember }: CommandOf<"approve">): boolean {
  return causes !== undefined && remember === undefined && uncovered(policy, causes).length === 0
}

/** A flag is not the person who typed it. */
function answerer({ policy }: CommandOf<"approve">, { by }: Stamp): By {
  return policy === undefined ? by : { principal: policyPrincipal(policy), door: by.door }
}

export function revokeGrant(state: SessionState, { grantId }: CommandOf<"revoke-grant">, stamp: Stamp): Decision {
  if (!state.grants.some((grant) => grant.grantId === grantId)) return refused({ code: "grant.unknown", grantId })
  return accepted({ type: "policy.revoked", grantId, by: stamp.by })
}

export function expireApproval(state: SessionState, approvalId: ApprovalId, stamp: Stamp): Decision {
  const approval = state.approvals.find((known) => known.id === approvalId)
  if (approval === undefined || approval.outcome !== undefined) return refused({ code: "report.stale" })
  if (approval.expiresAt === undefined || stamp.at < approval.expiresAt) return refused({ code: "report.stale" })
  const why = `Nobody answered the request for approval in time${because(approval.reason)}`
  return accepted(...expired(approvalId, approval.callId, why))
}

function expired(approvalId: ApprovalId, callId: CallId, reason: string): readonly SessionEvent[] {
  return [
    { type: "approval.decided", approvalId, outcome: "expired" },
    { type: "tool.refused", callId, by: "approvals", reason },
  ]
}

function deny(approval: ApprovalState, note: string | undefined, by: By): Decision {
  const reason = `Denied by ${principalName(by.principal)}${note ? `: ${note}` : ""}${because(approval.reason)}`
  return accepted(
    { type: "approval.decided", approvalId: approval.id, outcome: "denied", by, note },
    { type: "tool.refused", callId: approval.callId, by: by.principal, reason },
  )
}

/** Whoever reads that it was refused also reads what the question was. */
function because(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "." : `. Why it was asked: ${reason}`
}
