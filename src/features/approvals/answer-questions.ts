// Questions of the agent: the answer of a person is the result of the call, and so is the lack of one. Nothing runs.
// Questions of an MCP server: the answer is for the server, and the call goes on.
import { principalName } from "../../contract/rules/approval-answers.ts"
import {
  answersForModel,
  answerSummary,
  howToType,
  readAnswers,
  type ReadAnswer,
} from "../../contract/rules/questions.ts"
import type { CommandOf } from "../../contract/commands.ts"
import { isDuringCall } from "../../contract/rules/call-requests.ts"
import type { SessionEvent } from "../../contract/events.ts"
import type { By, Question, QuestionAnswer } from "../../contract/values.ts"
import { accepted, refused, type Decision } from "../../session/decision.ts"
import type { ApprovalState } from "./state.ts"

type Asked = Pick<ApprovalState, "id" | "callId" | "server">

export function answerQuestions(
  approval: Asked,
  questions: readonly Question[],
  command: CommandOf<"approve">,
  by: By,
): Decision {
  const { id: approvalId } = approval
  if (!command.approved) return declined(approval, command, by)
  if (command.policy !== undefined) return refused({ code: "approval.person", approvalId })
  const isApproval = command.remember !== undefined || command.input !== undefined
  if (command.answer === undefined || isApproval)
    return refused({
      code: "answer.invalid",
      approvalId,
      message: `It is a question. Answer it with ${howToType(questions)}`,
    })
  const read = readAnswers(questions, command.answer)
  if (read.kind === "wrong") return refused({ code: "answer.invalid", approvalId, message: read.message })
  const answer = answerSummary(read.answers)
  const answers = isDuringCall(approval) ? { answers: read.answers.map(stored) } : {}
  return accepted(
    { type: "approval.decided", approvalId, outcome: "approved", by, answer, ...answers },
    ...result(approval, answersForModel(questions, read.answers)),
  )
}

/** Without an answer the agent goes on: a call that asks cannot fail. */
export function unanswered(approval: Asked, isUnattended: boolean): readonly SessionEvent[] {
  const reason = isUnattended ? "No person is present to answer." : "The user did not answer in time."
  return [
    { type: "approval.decided", approvalId: approval.id, outcome: "expired" },
    ...result(approval, `No answer. ${reason} ${ADVICE}`),
  ]
}

const ADVICE = "Decide yourself where that is safe, and say in your answer what you assumed."

function declined(approval: Asked, { note, policy }: CommandOf<"approve">, by: By): Decision {
  const decided = { type: "approval.decided", approvalId: approval.id, outcome: "denied", by, note } as const
  if (policy !== undefined)
    return accepted(decided, ...result(approval, `No answer. No person is present to answer. ${ADVICE}`))
  const reason = note ? `: ${note}` : "."
  return accepted(decided, ...result(approval, `${principalName(by.principal)} declined to answer${reason}`))
}

function result(asked: Asked, output: string): readonly SessionEvent[] {
  return isDuringCall(asked) ? [] : [{ type: "tool.ended", callId: asked.callId, outcome: "done", output }]
}

function stored({ options, text }: ReadAnswer): QuestionAnswer {
  return { options: [...options], ...(text === undefined ? {} : { text }) }
}
