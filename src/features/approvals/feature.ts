// Approvals: a call waits for an answer, or something that a running call uses does. A question of the agent is a request too; its answer is the result of the call.
// Also permissions given in advance, and two causes of requests: calls with an unknown outcome and untrusted text.
import { isDuringCall } from "../../contract/rules/call-requests.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import type { Feature } from "../../session/feature.ts"
import { findCall } from "../../session/state.ts"
import { approvalAccess } from "./access.ts"
import {
  answerApproval,
  beforeStart,
  endRequests,
  expireApproval,
  recordSampling,
  requestApproval,
  revokeGrant,
  voided,
  withdrawApproval,
} from "./decide.ts"
import {
  openApprovals,
  openDuringCall,
  withoutOldestSettled,
  type ApprovalState,
  type ApprovalsState,
} from "./state.ts"

export const approvals = {
  initial: { approvals: [], grants: [], unsettledTools: [], taintedBy: undefined },
  commands: { approve: answerApproval, "revoke-grant": revokeGrant },
  reports: {
    "approval-needed": requestApproval,
    "approval-expired": expireApproval,
    "approval-withdrawn": withdrawApproval,
    sampled: recordSampling,
  },
  access: { approve: approvalAccess, "revoke-grant": "approve" },
  evolve: {
    "approval.requested": (state, event, seq) => {
      const { approvalId: id, callId, digest, reason, audience, causes, questions, expiresAt, ...rest } = event
      const { connection, revision } = rest
      const server = rest.server && { name: rest.server.name, wants: rest.server.wants }
      const about = { id, callId, digest, revision, reason, audience, causes, questions, connection, server }
      const approval = { ...about, expiresAt, outcome: undefined, by: undefined, seq }
      return { approvals: withoutOldestSettled([...state.approvals, approval]) }
    },
    "approval.decided": (state, { approvalId, outcome, by }) => ({
      approvals: state.approvals.map((approval) =>
        approval.id === approvalId ? { ...approval, outcome, by, reason: undefined, questions: undefined } : approval,
      ),
    }),
    "approval.bound": () => ({}),
    "sampling.ended": () => ({}),
    "policy.granted": ({ grants }, { grantId, tool, pattern, scope, revision }) => ({
      grants: [...grants, { grantId, tool, pattern, scope, revision }],
    }),
    "policy.revoked": ({ grants }, { grantId }) => ({ grants: grants.filter((grant) => grant.grantId !== grantId) }),
    "tool.started": (state, { callId }) => {
      const tool = findCall(state, callId)?.tool
      return { unsettledTools: state.unsettledTools.filter((name) => name !== tool) }
    },
    "tool.unsettled": (state, { callId }) => {
      const tool = findCall(state, callId)?.tool
      return tool === undefined ? {} : { unsettledTools: [...new Set([...state.unsettledTools, tool])] }
    },
    "prompt.promoted": ({ waiting, taintedBy }, { promptId }) => {
      const prompt = waiting.find((other) => other.promptId === promptId)
      const isOfAgent = prompt?.by.door === treeDoor // only a prompt of a person clears the taint
      return { taintedBy: prompt?.untrustedSource ?? (isOfAgent ? taintedBy : undefined) }
    },
    "tool.ended": (_, { untrustedSource }) => tainted(untrustedSource),
    "child.ended": (_, { untrustedSource }) => tainted(untrustedSource),
    "context.retrieved": (_, { passages }) => tainted(`documents: ${passages.map(({ title }) => title).join(", ")}`),
    "context.cleared": () => ({ taintedBy: undefined }),
    "context.rewound": () => ({ taintedBy: undefined }),
  },
  calls: {
    "approval.requested": (_, event) => (isDuringCall(event) ? undefined : { id: event.callId, phase: "asked" }),
    "approval.decided": (state, { approvalId, outcome }) => {
      const approval = state.approvals.find(({ id }) => id === approvalId)
      if (approval === undefined || isDuringCall(approval) || outcome !== "approved") return undefined
      return { id: approval.callId, phase: "approved", approvedDigest: approval.digest }
    },
    "approval.bound": (_, { callId, digest }) => ({ id: callId, phase: "approved", approvedDigest: digest }),
  },
  progress: ["approval.decided"],
  effects: (state) =>
    openApprovals(state).flatMap(({ id, expiresAt: at }) =>
      at === undefined ? [] : [{ type: "expire-approval", id: `expire:${id}`, approvalId: id, at }],
    ),
  beforeStart,
  afterCall: (state, { callId }) => endRequests(state, callId),
  interrupt: (state) => openApprovals(state).map(({ id }) => voided(id)),
  recover: (state) => openDuringCall(state).map(({ id }) => voided(id)),
  activity: (state) => waitingText(openApprovals(state)),
} satisfies Feature<ApprovalsState>

function waitingText(open: readonly ApprovalState[]): string | undefined {
  if (open.length === 0) return undefined
  return open.every(({ questions }) => questions !== undefined) ? "waiting for an answer" : "waiting for an approval"
}

/** Untrusted text is in the context from here on. */
function tainted(source: string | undefined): Partial<ApprovalsState> {
  return source === undefined ? {} : { taintedBy: source }
}
