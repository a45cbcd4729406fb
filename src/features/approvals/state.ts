// Approvals in the state of a session, and what the runner reports and performs for them.
import type { EventOf } from "../../contract/events.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import { isDuringCall } from "../../contract/rules/call-requests.ts"
import type { AskCause, By, Connection, FileChange, Grant, Question, ServerAsk } from "../../contract/values.ts"

export interface ApprovalsState {
  /** Open ones, and the newest settled ones, so that a late answer learns who decided. */
  readonly approvals: readonly ApprovalState[]
  /** Approvals given in advance. */
  readonly grants: readonly Grant[]
  /** Tools with a call whose outcome is unknown: their next call needs an approval. */
  readonly unsettledTools: readonly string[]
  /** Source of untrusted text that entered the context since a person last prompted. */
  readonly taintedBy: string | undefined
}

type Requested = EventOf<"approval.requested">

/** Requests of older releases have no causes. */
export interface ApprovalState extends Pick<
  Requested,
  "callId" | "digest" | "revision" | "audience" | "causes" | "connection" | "expiresAt"
> {
  /** While it is open; an answer to them is wanted, not an approval. */
  readonly questions?: readonly Question[] | undefined
  /** Without the text for the model, which may be long. */
  readonly server?: Pick<ServerAsk, "name" | "wants"> | undefined
  readonly id: ApprovalId
  /** Why approval is needed, while it is open; absent in snapshots of older releases. */
  readonly reason?: string | undefined
  readonly outcome: ApprovalOutcome | undefined
  readonly by: By | undefined
  /** The event of the request. */
  readonly seq: number
}

export type ApprovalOutcome = EventOf<"approval.decided">["outcome"]

export type ApprovalsReport = ApprovalNeeded | ApprovalExpired | ApprovalWithdrawn | Sampled

/** A gate wants an approval for a call. */
export interface ApprovalNeeded extends Pick<Requested, "callId" | "reason" | "audience" | "digest" | "revision"> {
  readonly type: "approval-needed"
  readonly causes: readonly AskCause[] | undefined
  /** What the call would do to files. */
  readonly changes?: FileChange[] | undefined
  /** Where the call asks a person. */
  readonly questions?: readonly Question[]
  /** Where the call, which runs, wants to connect. */
  readonly connection?: Connection
  /** Which MCP server of the call, which runs, asks. */
  readonly server?: ServerAsk
  /** How long to wait for an answer; absent means forever. */
  readonly waitMs: number | undefined
}

/** What made the request, during a call, no longer waits for it. */
export interface ApprovalWithdrawn {
  readonly type: "approval-withdrawn"
  readonly approvalId: ApprovalId
}

/** The session's model was asked for an MCP server. */
export interface Sampled extends Omit<EventOf<"sampling.ended">, "type"> {
  readonly type: "sampled"
}

export interface ApprovalExpired {
  readonly type: "approval-expired"
  readonly approvalId: ApprovalId
}

export interface ApprovalsEffect {
  readonly type: "expire-approval"
  readonly id: string
  readonly approvalId: ApprovalId
  readonly at: number
}

export function openApprovals({ approvals }: ApprovalsState): readonly ApprovalState[] {
  return approvals.filter(({ outcome }) => outcome === undefined)
}

/** Those that running calls wait for. */
export function openDuringCall(state: ApprovalsState): readonly ApprovalState[] {
  return openApprovals(state).filter(isDuringCall)
}

/** Every open approval, and the newest settled ones. */
export function withoutOldestSettled<Approval extends { readonly outcome: ApprovalOutcome | undefined }>(
  approvals: readonly Approval[],
): readonly Approval[] {
  const settled = approvals.filter(({ outcome }) => outcome !== undefined)
  const surplus = new Set(settled.slice(0, -limits.rememberedApprovals))
  return approvals.filter((approval) => !surplus.has(approval))
}
