// Requests for approval in words: this wire has no card for them, so they stand in the conversation, with what to type.
import { answererName } from "../../../contract/approval-policy.ts"
import type { EventOf } from "../../../contract/events.ts"
import type { ApprovalId, SessionId } from "../../../contract/ids.ts"
import type { By, JsonValue } from "../../../contract/values.ts"
import type { DisplayMessage } from "../frames.ts"
import { endsInHalf } from "../../rpc/sink.ts"

export interface Request {
  readonly approvalId: ApprovalId
  /** Who asks: this session or one that descends from it. */
  readonly sessionId: SessionId
  readonly tool: string
  readonly input: JsonValue
  readonly reason: string
  readonly digest: string | undefined
  /** Where it stands in this session's log. */
  readonly seq: number
}

type Question = Pick<Request, "approvalId" | "tool" | "input" | "reason">

const shownInput = 500
const askedStart = "Approval needed"

export function requestWords({ approvalId, tool, input, reason }: Question, agent?: string): string {
  const who = agent === undefined ? askedStart : `${askedStart} by agent ${agent}`
  return [
    `${who}: ${tool} ${shortened(JSON.stringify(input), shownInput)}`,
    `Reason: ${reason}`,
    `Answer y, n or always (yes, and to the same call in this session), or /approve ${approvalId} or /deny ${approvalId}`,
  ].join("\n")
}

export function decisionWords(
  approvalId: ApprovalId,
  tool: string,
  outcome: EventOf<"approval.decided">["outcome"],
  by: By | undefined,
): string {
  const what = `${tool} (${approvalId})`
  switch (outcome) {
    case "approved":
      return `Approved by ${answererName(by)}: ${what}`
    case "denied":
      return `Denied by ${answererName(by)}: ${what}`
    case "expired":
      return `Not approved, nobody answered in time: ${what}`
    case "void":
      return `No longer to be approved: ${what}`
  }
}

/** The requests that a conversation shows as open, oldest first: the wire has no other place for them. */
export function openRequestsIn(messages: readonly Pick<DisplayMessage, "role" | "content">[]): readonly string[] {
  const open = new Set<string>()
  for (const { role, content } of messages) {
    if (role !== "system") continue
    const lastWord = content.slice(content.lastIndexOf(" ") + 1)
    if (content.startsWith(askedStart) && lastWord.startsWith("apr_")) open.add(lastWord)
    else for (const id of open) if (content.endsWith(`(${id})`)) open.delete(id)
  }
  return [...open]
}

/** At most so many units, and never half a character at the end. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, endsInHalf(text.charCodeAt(most - 1)) ? most - 1 : most)}…`
}
