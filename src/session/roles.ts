// What each role may ask of a session. Whoever is without roles is the local user and may do everything. Speaking takes
// `drive`; a request for approval is answered by whoever drives or approves, and one that is meant for the house
// only by somebody with `approve` who is not a visitor of the session: nobody approves their own wish.
import type { CommandOf, SessionCommand } from "../contract/commands.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { Role, Who } from "../contract/values.ts"
import type { SessionState } from "./state.ts"

export function whyNotAllowed(state: SessionState, command: SessionCommand, who: Who): Refusal | undefined {
  if (command.type === "approve") return whyNotApproving(state, command, who)
  const role = command.type === "settle-escalation" ? "approve" : "drive"
  return has(who, role) ? undefined : { code: "role.missing", role }
}

function whyNotApproving(
  { approvals, visitors }: SessionState,
  { approvalId }: CommandOf<"approve">,
  who: Who,
): Refusal | undefined {
  const isForHouse = approvals.find(({ id }) => id === approvalId)?.audience === "approver"
  const may = has(who, "approve") || (!isForHouse && has(who, "drive"))
  if (!may) return { code: "role.missing", role: "approve" }
  return isForHouse && visitors.includes(who.principal) ? { code: "approval.own", approvalId } : undefined
}

function has({ roles }: Who, role: Role): boolean {
  return roles === undefined || roles.includes(role)
}
