// What each role may ask of a session. A principal without roles is the local user and may do everything. Prompting
// takes `drive`, saying yes takes `approve`: a principal that can only prompt must not approve what its prompts lead
// to, nor store permissions. Everyone who may drive or approve may say no. docs/identity.md has the whole table.
import type { CommandOf, SessionCommand } from "../contract/commands.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { Role, Who } from "../contract/values.ts"
import type { ApprovalState, SessionState } from "./state.ts"

const approvers: ReadonlySet<SessionCommand["type"]> = new Set(["settle-escalation", "revoke-grant"])

export function whyNotAllowed(state: SessionState, command: SessionCommand, who: Who): Refusal | undefined {
  if (command.type === "approve") return whyNotAnswering(state, command, who)
  const role = approvers.has(command.type) ? "approve" : "drive"
  return has(who, role) ? undefined : { code: "role.missing", role }
}

function whyNotAnswering(state: SessionState, command: CommandOf<"approve">, who: Who): Refusal | undefined {
  const { approvalId, approved, remember, policy } = command
  const approval = state.approvals.find(({ id }) => id === approvalId)
  const isForHouse = approval?.audience === "approver"
  if (isForHouse && has(who, "approve") && state.visitors.includes(who.principal)) {
    return { code: "approval.own", approvalId }
  }
  if (policy !== undefined && who.roles !== undefined) return { code: "approval.person", approvalId } // flags are the local user's
  if (has(who, "approve")) return undefined
  const mayAnswer = has(who, "drive") && !isForHouse && remember === undefined
  const isAllowed = mayAnswer && (!approved || isVisitorsOwn(state, approval, who))
  return isAllowed ? undefined : { code: "role.missing", role: "approve" }
}

/** A visitor confirms what its own conversation asks it; in a local session only what `tools.confirm` lists. */
function isVisitorsOwn({ visitors, created }: SessionState, approval: ApprovalState | undefined, who: Who): boolean {
  if (!visitors.includes(who.principal)) return false
  return created?.preset === "service" || approval?.causes?.every((cause) => cause === "confirm") === true
}

function has({ roles }: Who, role: Role): boolean {
  return roles === undefined || roles.includes(role)
}
