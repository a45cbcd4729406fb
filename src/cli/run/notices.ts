// What a notification says.
import type { EventOf } from "../../contract/events.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import { questionSummary } from "../../contract/rules/questions.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"

export function requestText({ tool, input, questions }: OpenApproval): string {
  if (questions !== undefined) return `Turnhouse: question: ${questionSummary(questions)}`
  return `Turnhouse: approve ${tool} ${mainArgument(tool, input)}`
}

export function turnEndText({ reason }: Pick<EventOf<"turn.ended">, "reason">): string {
  return reason === "done" ? "Turnhouse: the turn is done" : `Turnhouse: the turn ended: ${reason}`
}
