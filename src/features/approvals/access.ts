// Which principals may answer a request for approval. Prompting needs the role `drive`, approving needs `approve`: a
// principal that can only prompt must not approve what its prompts lead to. Questions may be answered with either role,
// unless they are for an approver. docs/identity.md has the whole table.
import { isDuringCall } from "../../contract/rules/call-requests.ts"
import { settingsOf } from "../../contract/rules/session-settings.ts"
import type { CommandOf } from "../../contract/commands.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { Who } from "../../contract/values.ts"
import { hasRole } from "../../session/decision.ts"
import type { SessionState } from "../../session/state.ts"
import type { ApprovalState } from "./state.ts"

export function approvalAccess(state: SessionState, command: CommandOf<"approve">, who: Who): Refusal | undefined {
  const { approvalId, approved, remember, policy, input } = command
  const approval = state.approvals.find(({ id }) => id === approvalId)
  const isForApprover = approval?.audience === "approver"
  if (isForApprover && hasRole(who, "approve") && state.visitors.includes(who.principal)) {
    return { code: "approval.own", approvalId }
  }
  if (policy !== undefined && who.roles !== undefined) return { code: "approval.person", approvalId } // flags are the local user's
  if (hasRole(who, "approve")) return undefined
  const isQuestion = approval?.questions !== undefined && !isForApprover
  if (isQuestion && hasRole(who, "drive")) return undefined // an answer is no more than a prompt
  const mayAnswer = hasRole(who, "drive") && !isForApprover && remember === undefined && input === undefined
  const isAllowed = mayAnswer && (!approved || isVisitorsOwn(state, approval, who))
  return isAllowed ? undefined : { code: "role.missing", role: "approve" }
}

/** A visitor confirms calls of its own conversation; in a local session only those in `tools.confirm`. */
function isVisitorsOwn({ visitors, created }: SessionState, approval: ApprovalState | undefined, who: Who): boolean {
  if (!visitors.includes(who.principal) || (approval !== undefined && isDuringCall(approval))) return false
  return settingsOf(created).hasVisitors || approval?.causes?.every((cause) => cause === "confirm") === true
}
