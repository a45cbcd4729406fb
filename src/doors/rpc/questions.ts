// Commands that change nothing. What the link knows by itself is answered at once, so that a flood of questions costs
// little; the rest is asked of the house.
import { contextItemsOf, modelsBody, stateBody, statsBody, toolsBody } from "../../protocols/rpc/answers.ts"
import type { AnsweredCommand, ResponseFrame } from "../../protocols/rpc/frames.ts"
import { messagesOf } from "../../protocols/rpc/messages.ts"
import type { ParentCommand } from "../../protocols/rpc/receive.ts"
import type { SessionDesk } from "./session-desk.ts"

type QuestionType = "get_state" | "get_session_stats" | "get_messages" | "get_available_models" | "tools_list"
export type Question = Extract<ParentCommand, { type: QuestionType }>
type OwnFigures = Extract<Question, { type: "get_state" | "get_session_stats" }>

export function answerTo(desk: SessionDesk, question: Question): ResponseFrame | Promise<ResponseFrame> {
  if (question.type !== "get_state" && question.type !== "get_session_stats") return askHouse(desk, question)
  const count = desk.messageCount()
  if (typeof count === "number") return figures(desk, question, count)
  return count.then((counted) => figures(desk, question, counted))
}

/** What every response begins with. A command that came without an id is answered with an empty one. */
export function head<Command extends AnsweredCommand>(command: {
  readonly id?: string | null | undefined
  readonly type: Command
}) {
  return { type: "response", id: command.id ?? "", command: command.type } as const
}

function figures({ link }: SessionDesk, question: OwnFigures, count: number): ResponseFrame {
  const { sessionId, status, inTurn } = link
  if (question.type === "get_state") return { ...head(question), ...stateBody(sessionId, status, inTurn, count) }
  return { ...head(question), ...statsBody(sessionId, status, count) }
}

async function askHouse(desk: SessionDesk, question: Exclude<Question, OwnFigures>): Promise<ResponseFrame> {
  const { sessionId } = desk.link
  switch (question.type) {
    case "get_messages": {
      const items = contextItemsOf(await desk.ask({ type: "context", sessionId }))
      return { ...head(question), messages: messagesOf(items) }
    }
    case "get_available_models":
      return { ...head(question), ...modelsBody(await desk.ask({ type: "models" })) }
    case "tools_list":
      return { ...head(question), ...toolsBody(await desk.ask({ type: "tools", sessionId })) }
  }
}
