// Approvals as text: this protocol has no frame for them, so they are messages of the conversation that say what to type.
import { answererName } from "../../../contract/rules/approval-answers.ts"
import type { EventOf } from "../../../contract/events.ts"
import { askedText } from "../../../contract/rules/call-requests.ts"
import { howToType } from "../../../contract/rules/questions.ts"
import { shortened, withVisibleCharacters } from "../../../contract/text/text.ts"
import type { Question } from "../../../contract/values.ts"
import type { OpenApproval } from "../../../projection/open-requests.ts"
import type { DisplayMessage } from "../frames.ts"

type Request = Pick<OpenApproval, "approvalId" | "tool" | "input" | "reason" | "questions" | "server">
type Decided = Pick<EventOf<"approval.decided" | "child.answered">, "outcome" | "by" | "answer">

/** A prompt of an MCP server is shown whole: it is bounded, and a person must see what the model would get. */
const MAX_SHOWN_INPUT = 500
const START = "Approval needed"
const QUESTION_START = "Question"

export function requestText(request: Request, agent?: string): string {
  const { approvalId, tool, input, reason, questions, server } = request
  if (questions !== undefined) return questionText({ ...request, questions }, agent)
  const text = JSON.stringify(input)
  const shown = server === undefined ? shortened(text, MAX_SHOWN_INPUT) : withVisibleCharacters(text)
  const words = server === undefined ? "y, n or always (yes, and to the same call in this session)" : "y or n"
  const start = agent === undefined ? START : `${START} by agent ${agent}`
  return [
    `${start}: ${tool} ${shown}`,
    `Reason: ${reason}`,
    `Answer ${words}, or /approve ${approvalId} or /deny ${approvalId}`,
  ].join("\n")
}

function questionText(
  { approvalId, questions, reason, server }: Request & { readonly questions: readonly Question[] },
  agent: string | undefined,
): string {
  const start = `${QUESTION_START}${agent === undefined ? "" : ` of agent ${agent}`}`
  return [
    `${start}: ${askedText({ questions, reason, server })}`,
    `Answer with ${howToType(questions)}, or decline with /deny ${approvalId}`,
  ].join("\n")
}

export function decisionText({ approvalId, tool, questions }: Request, decided: Decided): string {
  const { outcome, by } = decided
  const call = `${tool} (${approvalId})`
  if (questions !== undefined) return answerText(decided, call)
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

function answerText({ outcome, by, answer = "" }: Decided, call: string): string {
  switch (outcome) {
    case "approved":
      return `Answered by ${answererName(by)}: ${answer} ${call}`
    case "denied":
      return `Declined by ${answererName(by)}: ${call}`
    case "expired":
      return `No answer in time: ${call}`
    case "void":
      return `Answer no longer needed: ${call}`
  }
}

export interface PendingRequest {
  readonly id: string
  readonly isQuestion: boolean
}

/** The requests that a conversation shows as pending, oldest first: the protocol has no other place for them. */
export function pendingRequests(
  messages: readonly Pick<DisplayMessage, "role" | "content">[],
): readonly PendingRequest[] {
  const open = new Map<string, PendingRequest>()
  for (const { role, content } of messages) {
    if (role !== "system") continue
    const lastWord = content.slice(content.lastIndexOf(" ") + 1)
    const isQuestion = content.startsWith(QUESTION_START)
    const isRequest = isQuestion || content.startsWith(START)
    if (isRequest && lastWord.startsWith("apr_")) open.set(lastWord, { id: lastWord, isQuestion })
    else for (const id of open.keys()) if (content.endsWith(`(${id})`)) open.delete(id)
  }
  return [...open.values()]
}
