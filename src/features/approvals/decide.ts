// One approval or question, one outcome: the first valid answer wins; later answers are refused and learn who decided.
import { policyPrincipal, principalName, uncoveredCauses } from "../../contract/rules/approval-answers.ts"
import type { CommandOf } from "../../contract/commands.ts"
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { ApprovalId, CallId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "../../session/decision.ts"
import { canonical } from "../../contract/canonical-json.ts"
import type { CallReady } from "../../session/report.ts"
import { findCall, type CallState, type SessionState } from "../../session/state.ts"
import { answerQuestions, unanswered } from "./answer-questions.ts"
import { isDuringCall, requestSubject } from "../../contract/rules/call-requests.ts"
import {
  openDuringCall,
  type ApprovalExpired,
  type ApprovalNeeded,
  type ApprovalState,
  type ApprovalWithdrawn,
  type Sampled,
} from "./state.ts"

export function requestApproval(state: SessionState, report: ApprovalNeeded, stamp: Stamp): Decision {
  if (isDuringCall(report)) return requestDuringCall(state, report, stamp)
  const call = findCall(state, report.callId)
  const isQuestion = report.questions !== undefined // asked after its gates, which may have wanted an approval
  if (call === undefined || (call.phase !== "called" && !(isQuestion && call.phase === "approved"))) return stale
  if (isQuestion) return requestDecision(call, report, stamp)
  return requestOrBind(state, call, withUnknownOutcome(state, call, report), stamp)
}

function requestDuringCall(state: SessionState, report: ApprovalNeeded, stamp: Stamp): Decision {
  const { callId: id } = report
  const subject = requestSubject(report)
  const isRunning = findCall(state, id)?.phase === "started" || outlivesCall(state, report)
  return isRunning && subject !== undefined ? requestDecision({ id, tool: subject.tool }, report, stamp) : stale
}

/** A call that started a background shell may connect as long as that runs. */
function outlivesCall(
  state: SessionState,
  { connection, callId }: Pick<ApprovalState, "connection" | "callId">,
): boolean {
  return connection !== undefined && hasShell(state, callId)
}

function hasShell({ shells }: SessionState, callId: CallId): boolean {
  return shells.some((shell) => shell.callId === callId)
}

export function withdrawApproval(state: SessionState, { approvalId }: ApprovalWithdrawn): Decision {
  const isOpen = openDuringCall(state).some(({ id }) => id === approvalId)
  return isOpen ? accepted(voided(approvalId)) : stale
}

/** A call that has ended waits for nothing more. */
export function endRequests(state: SessionState, callId: CallId): readonly SessionEvent[] {
  const ended = openDuringCall(state).filter((one) => one.callId === callId && !outlivesCall(state, one))
  return ended.map(({ id }) => voided(id))
}

/** Stored whatever became of the call: the model was paid. */
export function recordSampling(_: SessionState, report: Sampled): Decision {
  return accepted({ ...report, type: "sampling.ended" })
}

export function voided(approvalId: ApprovalId): EventOf<"approval.decided"> {
  return { type: "approval.decided", approvalId, outcome: "void" }
}

/** A call that was changed when it was approved is not asked about again, unless there is a new reason to ask. */
function requestOrBind(state: SessionState, call: CallState, request: Request, stamp: Stamp): Decision {
  const approval = callApprovals(state).find(({ callId, outcome }) => callId === call.id && outcome === "approved")
  if (approval === undefined || !coversRequest(approval, request)) return requestDecision(call, request, stamp)
  return accepted({ type: "approval.bound", approvalId: approval.id, callId: call.id, digest: request.digest })
}

/** Those that are about calls themselves. */
function callApprovals({ approvals }: Pick<SessionState, "approvals">): readonly ApprovalState[] {
  return approvals.filter((approval) => !isDuringCall(approval))
}

function coversRequest({ causes, audience }: ApprovalState, request: Request): boolean {
  const isSameAudience = request.audience === "driver" || audience === "approver"
  return isSameAudience && causes !== undefined && (request.causes ?? []).every((cause) => causes.includes(cause))
}

/** A request that is made anyway also covers an unknown outcome. */
function withUnknownOutcome({ unsettledTools }: SessionState, { tool }: CallState, request: Request): Request {
  if (!unsettledTools.includes(tool)) return request
  const reason = `${request.reason} ${unknownOutcome(tool)}`
  return { ...request, reason, causes: [...(request.causes ?? []), "unsettled"] }
}

function unknownOutcome(tool: string): string {
  return `The outcome of an earlier ${tool} call is unknown.`
}

/** The last gate: what was approved is what runs, and after a call with an unknown outcome its tool needs an approval. */
export function beforeStart(
  state: SessionState,
  call: CallState,
  report: CallReady,
  stamp: Stamp,
): Decision | undefined {
  const { digest, revision, waitMs } = report
  const { unsettledTools } = state
  if (call.approvedDigest !== undefined && call.approvedDigest !== digest) {
    const reason =
      revision === undefined
        ? "Its arguments are not the ones that were approved."
        : "Its arguments, or the description of its tool, are not the ones that were approved. Call it again."
    return accepted({ type: "tool.refused", callId: call.id, by: "approvals", reason })
  }
  if (call.approvedDigest !== undefined || !unsettledTools.includes(call.tool)) return undefined
  const reason = unknownOutcome(call.tool)
  return requestOrBind(
    state,
    call,
    { reason, audience: "driver", causes: ["unsettled"], digest, revision, waitMs },
    stamp,
  )
}

type Request = Omit<ApprovalNeeded, "type" | "callId">

/** Without time to wait the answer is no, and the request is still on record. */
function requestDecision(call: Pick<CallState, "id" | "tool">, request: Request, stamp: Stamp): Decision {
  const { digest, revision, reason, audience, causes, changes, questions, connection, server, waitMs } = request
  const requested: EventOf<"approval.requested"> = {
    type: "approval.requested",
    approvalId: `apr_${stamp.id}`,
    callId: call.id,
    tool: call.tool,
    digest,
    ...(revision === undefined ? {} : { revision }),
    reason,
    audience,
    ...(causes === undefined ? {} : { causes: [...causes] }),
    ...(changes === undefined ? {} : { changes }),
    ...(questions === undefined ? {} : { questions: [...questions] }),
    ...(connection === undefined ? {} : { connection }),
    ...(server === undefined ? {} : { server }),
    expiresAt: waitMs === undefined ? undefined : stamp.at + waitMs,
  }
  if (waitMs !== 0) return accepted(requested)
  if (questions !== undefined)
    return accepted(requested, ...unanswered({ ...requested, id: requested.approvalId }, true))
  const message = `It needs an approval, and no approver is connected${reasonSuffix(reason)}`
  return accepted(requested, ...expired({ ...requested, id: requested.approvalId }, message))
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
  if (approval.questions !== undefined) return answerQuestions(approval, approval.questions, command, by)
  if (command.answer !== undefined)
    return refused({ code: "answer.invalid", approvalId, message: "It needs an approval, not an answer" })
  if (!command.approved) return deny(approval, command.note, by)
  if (command.policy !== undefined && !isCovered(approval, command))
    return refused({ code: "approval.person", approvalId })
  const problem = unfitAnswer(approval, command)
  if (problem !== undefined) return refused({ code: "answer.invalid", approvalId, message: problem })
  const subject = requestSubject(approval)
  const call = subject === undefined ? findCall(state, approval.callId) : undefined
  return accepted(
    { type: "approval.decided", approvalId, outcome: "approved", by, note: command.note },
    ...changed(call, command, by),
    ...granted(subject?.tool ?? call?.tool, approval.revision, command, by, stamp),
  )
}

/** What an approval of this kind cannot have; a sentence without its full stop. */
function unfitAnswer(approval: ApprovalState, { input, remember }: CommandOf<"approve">): string | undefined {
  if (approval.server !== undefined && remember !== undefined)
    return "A request of an MCP server is allowed once; no permission can be stored for it"
  if (!isDuringCall(approval) || input === undefined) return undefined
  const subject = approval.connection === undefined ? "A request of an MCP server" : "A connection"
  return `${subject} can be allowed or denied, not changed`
}

/** The changed call passes its gates again. */
function changed(call: CallState | undefined, { input }: CommandOf<"approve">, by: By): readonly SessionEvent[] {
  if (call === undefined || input === undefined || canonical(input) === canonical(call.input)) return []
  return [{ type: "tool.modified", callId: call.id, input, by: by.principal }]
}

function granted(
  tool: string | undefined,
  revision: string | undefined,
  { remember }: CommandOf<"approve">,
  by: By,
  stamp: Stamp,
): readonly SessionEvent[] {
  if (remember === undefined || tool === undefined) return []
  const { pattern, scope } = remember
  const bound = revision === undefined ? {} : { revision }
  return [{ type: "policy.granted", grantId: `grt_${stamp.id}`, tool, pattern, scope, ...bound, by }]
}

/** Who approved the call with other arguments than these; undefined if they were not changed. */
export function editorOf(
  state: Pick<SessionState, "approvals">,
  callId: CallId,
  currentDigest: string,
): By | undefined {
  return callApprovals(state).find(
    (one) => one.callId === callId && one.outcome === "approved" && one.digest !== currentDigest,
  )?.by
}

/** A flag answers only what it covers, changes nothing and stores no permission. */
function isCovered({ causes }: ApprovalState, { policy = [], remember, input }: CommandOf<"approve">): boolean {
  const isPlain = remember === undefined && input === undefined
  return causes !== undefined && isPlain && uncoveredCauses(policy, causes).length === 0
}

/** A flag answers under its own name, not as the user. */
function answerer({ policy }: CommandOf<"approve">, { by }: Stamp): By {
  return policy === undefined ? by : { principal: policyPrincipal(policy), door: by.door }
}

export function revokeGrant(state: SessionState, { grantId }: CommandOf<"revoke-grant">, stamp: Stamp): Decision {
  if (!state.grants.some((grant) => grant.grantId === grantId)) return refused({ code: "grant.unknown", grantId })
  return accepted({ type: "policy.revoked", grantId, by: stamp.by })
}

export function expireApproval(state: SessionState, { approvalId }: ApprovalExpired, stamp: Stamp): Decision {
  const approval = state.approvals.find((known) => known.id === approvalId)
  if (approval === undefined || approval.outcome !== undefined) return stale
  if (approval.expiresAt === undefined || stamp.at < approval.expiresAt) return stale
  if (approval.questions !== undefined) return accepted(...unanswered(approval, false))
  const message = `The request for approval was not answered in time${reasonSuffix(approval.reason)}`
  return accepted(...expired(approval, message))
}

type Asked = Pick<ApprovalState, "id" | "callId" | "connection" | "server">

function expired(asked: Asked, reason: string): readonly SessionEvent[] {
  return [
    { type: "approval.decided", approvalId: asked.id, outcome: "expired" },
    ...refusedCall(asked, "approvals", reason),
  ]
}

/** A call that runs goes on without what it asked for. */
function refusedCall(asked: Asked, by: string, reason: string): readonly SessionEvent[] {
  return isDuringCall(asked) ? [] : [{ type: "tool.refused", callId: asked.callId, by, reason }]
}

function deny(approval: ApprovalState, note: string | undefined, by: By): Decision {
  const reason = `Denied by ${principalName(by.principal)}${note ? `: ${note}` : ""}${reasonSuffix(approval.reason)}`
  return accepted(
    { type: "approval.decided", approvalId: approval.id, outcome: "denied", by, note },
    ...refusedCall(approval, by.principal, reason),
  )
}

/** A refusal repeats why approval was needed. */
function reasonSuffix(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "." : `. Why it was asked: ${reason}`
}
