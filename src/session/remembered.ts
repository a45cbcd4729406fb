// Approvals that a session keeps in mind: every open one, and of the settled ones only the newest, so that a late
// answer is told who decided.
import { limits } from "../contract/limits.ts"
import type { ApprovalOutcome } from "./state.ts"

export function remembered<Approval extends { readonly outcome: ApprovalOutcome | undefined }>(
  approvals: readonly Approval[],
): readonly Approval[] {
  const settled = approvals.filter((approval) => approval.outcome !== undefined)
  const surplus = new Set(settled.slice(0, -limits.rememberedApprovals))
  return approvals.filter((approval) => !surplus.has(approval))
}
