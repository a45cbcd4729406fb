// Questions of the agent: the answer of a person is the result of the call, and so is the lack of one. Nothing runs.
import { principalName } from "../../contract/rules/approval-answers.ts"
import { answersForModel, answerSummary, howToType, readAnswers } from "../../contract/rules/questions.ts"
import type { CommandOf } from "../../contract/commands.ts"
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { By, Question } from "../../contract/values.ts"
import { accepted, refused, type Decision } from "../../session/decision.ts"
import type { ApprovalState } from "./state.ts"

type Asked = Pick<ApprovalState, "id" | "callId">

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
  return accepted(
    { type: "approval.decided", approvalId, outcome: "approved", by, answer },
    result(approval, answersForModel(questions, read.answers)),
  )
}

/** Without an answer the agent goes on: a call that asks cannot fail. */
export function unanswered(approval: Asked, isUnattended: boolean): readonly SessionEvent[] {
  const reason = isUnattended ? "No person is present to answer." : "The user did not answer in time."
  return [
    { type: "approval.decided", approvalId: approval.id, outcome: "expired" },
    result(approval, `No answer. ${reason} ${ADVICE}`),
  ]
}

const ADVICE = "Decide yourself where that is safe, and say in your answer what you assumed."

function declined(approval: Asked, { note, policy }: CommandOf<"approve">, by: By): Decision {
  const decided = { type: "approval.decided", approvalId: approval.id, outcome: "denied", by, note } as const
  if (policy !== undefined)
    return accepted(decided, result(approval, `No answer. No person is present to answer. ${ADVICE}`))
  const reason = note ? `: ${note}` : "."
  return accepted(decided, result(approval, `${principalName(by.principal)} declined to answer${reason}`))
}

function result({ callId }: Asked, output: string): EventOf<"tool.ended"> {
  return { type: "tool.ended", callId, outcome: "done", output }
}
