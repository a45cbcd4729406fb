// Approvals as text: this protocol has no frame for them, so they are messages of the conversation that say what to type.
import { answererName } from "../../../contract/rules/approval-answers.ts"
import type { EventOf } from "../../../contract/events.ts"
import type { ApprovalId } from "../../../contract/ids.ts"
import { shortened } from "../../../contract/text/text.ts"
import type { By } from "../../../contract/values.ts"
import type { OpenApproval } from "../../../projection/open-requests.ts"
import type { DisplayMessage } from "../frames.ts"

type Request = Pick<OpenApproval, "approvalId" | "tool" | "input" | "reason">

const MAX_SHOWN_INPUT = 500
const START = "Approval needed"

export function requestText({ approvalId, tool, input, reason }: Request, agent?: string): string {
  const start = agent === undefined ? START : `${START} by agent ${agent}`
  return [
    `${start}: ${tool} ${shortened(JSON.stringify(input), MAX_SHOWN_INPUT)}`,
    `Reason: ${reason}`,
    `Answer y, n or always (yes, and to the same call in this session), or /approve ${approvalId} or /deny ${approvalId}`,
  ].join("\n")
}

export function decisionText(
  approvalId: ApprovalId,
  tool: string,
  outcome: EventOf<"approval.decided">["outcome"],
  by: By | undefined,
): string {
  const call = `${tool} (${approvalId})`
  switch (outcome) {
    case "approved":
      return `Approved by ${answererName(by)}: ${call}`
    case "denied":
      return `Denied by ${answererName(by)}: ${call}`
    case "expired":
      return `Not approved, no answer in time: ${call}`
    case "void":
      return `Approval no longer needed: ${call}`
  }
}

/** The approvals that a conversation shows as pending, oldest first: the protocol has no other place for them. */
export function pendingApprovals(messages: readonly Pick<DisplayMessage, "role" | "content">[]): readonly string[] {
  const open = new Set<string>()
  for (const { role, content } of messages) {
    if (role !== "system") continue
    const lastWord = content.slice(content.lastIndexOf(" ") + 1)
    if (content.startsWith(START) && lastWord.startsWith("apr_")) open.add(lastWord)
    else for (const id of open) if (content.endsWith(`(${id})`)) open.delete(id)
  }
  return [...open]
}
