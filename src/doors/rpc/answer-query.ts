// Commands that only read. What the view knows is answered at once, so that a flood of them costs little; the rest is
// queried from the port.
import type { ModelListing, OfferedTool } from "../../contract/views/host.ts"
import { inputTokens, messagesOf } from "../../protocols/rpc/responses.ts"
import type { AnsweredCommand, ResponseFrame } from "../../protocols/rpc/frames.ts"
import type { ParentCommand } from "../../protocols/rpc/codec.ts"
import type { ParentSession } from "./parent-session.ts"

type QueryType = "get_state" | "get_session_stats" | "get_messages" | "get_available_models" | "tools_list"
export type QueryCommand = Extract<ParentCommand, { type: QueryType }>
type StatusQuery = Extract<QueryCommand, { type: "get_state" | "get_session_stats" }>

export function answerQuery(session: ParentSession, command: QueryCommand): ResponseFrame | Promise<ResponseFrame> {
  if (command.type !== "get_state" && command.type !== "get_session_stats") return queryHost(session, command)
  const count = session.messageCount()
  if (typeof count === "number") return statusResponse(session, command, count)
  return count.then((counted) => statusResponse(session, command, counted))
}

/** The first fields of every response. A command without an id is answered with an empty one. */
export function head<Command extends AnsweredCommand>(command: {
  readonly id?: string | null | undefined
  readonly type: Command
}) {
  return { type: "response", id: command.id ?? "", command: command.type } as const
}

function statusResponse({ view }: ParentSession, command: StatusQuery, message_count: number): ResponseFrame {
  const { sessionId: session_id, status, inTurn: streaming } = view
  const { model, usage } = status
  const { total } = usage
  if (command.type === "get_state") return { ...head(command), streaming, model, session_id, message_count }
  const tokens = { input_tokens: inputTokens(total), output_tokens: total.output }
  return { ...head(command), ...tokens, cost: total.usd, message_count, model, session_id }
}

async function queryHost(session: ParentSession, command: Exclude<QueryCommand, StatusQuery>): Promise<ResponseFrame> {
  const { sessionId } = session.view
  switch (command.type) {
    case "get_messages": {
      const { items } = await session.query({ type: "context", sessionId })
      return { ...head(command), messages: messagesOf(items) }
    }
    case "get_available_models":
      return { ...head(command), models: (await session.query({ type: "models" })).map(modelEntry) }
    case "tools_list":
      return { ...head(command), ok: true, tools: (await session.query({ type: "tools", sessionId })).map(toolEntry) }
  }
}

function modelEntry({ provider, id, name }: ModelListing) {
  return { provider, model_id: id, model_name: name }
}

function toolEntry({ name, description, inputSchema }: OfferedTool) {
  return { name, description, input_schema: inputSchema }
}
