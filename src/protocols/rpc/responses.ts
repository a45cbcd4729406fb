// Answers of the host port to queries, as response bodies of this wire.
import type { SessionId } from "../../contract/ids.ts"
import type { ModelListing, OfferedTool } from "../../contract/views/host.ts"
import type { SessionStatus } from "../../contract/views/status.ts"
import type { ResponseBodies } from "./frames.ts"
import { inputTokens } from "./usage.ts"

export function stateBody(sessionId: SessionId, { model }: SessionStatus, streaming: boolean, message_count: number) {
  return { streaming, model, session_id: sessionId, message_count } satisfies ResponseBodies["get_state"]
}

export function statsBody(sessionId: SessionId, { model, usage }: SessionStatus, message_count: number) {
  const { total } = usage
  return {
    input_tokens: inputTokens(total),
    output_tokens: total.output,
    cost: total.usd,
    message_count,
    model,
    session_id: sessionId,
  } satisfies ResponseBodies["get_session_stats"]
}

export function toolsBody(offered: readonly OfferedTool[]): ResponseBodies["tools_list"] {
  const tools = offered.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  return { ok: true, tools }
}

export function modelsBody(listed: readonly ModelListing[]): ResponseBodies["get_available_models"] {
  return { models: listed.map(({ provider, id, name }) => ({ provider, model_id: id, model_name: name })) }
}
