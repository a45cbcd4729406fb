// Shared by the cases: send a message, and read the frames of its turn.
import type { RawResponse, ServerEvent } from "../../src/protocols/ws/frames.ts"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"

export const missing = "00000000-0000-4000-8000-000000000000"

/** Creates a session and sends a message as turn `r1`, unless another id is given. */
export async function startTurn(client: WsClient, message = "hi", create: object = {}, requestId = "r1") {
  const visit = await client.create({ ...create })
  client.say({ action: "send_message", requestId, sessionId: visit.sessionId, message })
  return visit
}

/** Sends a message and waits for the end of its turn. */
export async function runTurn(client: WsClient, sessionId: string, message: string): Promise<ServerEvent> {
  const requestId = `say-${message}`
  client.say({ action: "send_message", requestId, sessionId, message })
  return client.end(requestId)
}

export function dataOf(event: ServerEvent): Readonly<Record<string, unknown>> {
  if (event.type !== "immediate_response") throw new Error(`not a response: ${JSON.stringify(event)}`)
  return event.data
}

export function replyOf(event: ServerEvent): string {
  if (event.type !== "eventual_response") throw new Error(`not a reply: ${JSON.stringify(event)}`)
  return event.data.data.response.responseParts.join("\n\n")
}

export function tokensOf(client: WsClient, requestId = "r1"): string {
  return client
    .of(requestId)
    .flatMap((frame) => (frame.type === "stream_token" ? frame.token : []))
    .join("")
}

/** Tool calls and results, in order. */
export function chunksOf(client: WsClient, requestId = "r1"): readonly RawResponse[] {
  return client
    .of(requestId)
    .flatMap((frame) => (frame.type === "stream_chunk" ? (frame.data.state.rawResponse ?? []) : []))
}

export interface Row {
  readonly id: string
  readonly direction: string
  readonly text: string
}

export interface Page {
  readonly rows: readonly Row[]
  readonly nextCursor: unknown
  readonly hasMore: unknown
}

export async function messagesOf(client: WsClient, sessionId: string, more: object = {}): Promise<Page> {
  const requestId = `messages-${Math.random()}`
  const { messages, nextCursor, hasMore } = dataOf(
    await client.ask({ action: "get_conversation_messages", requestId, sessionId, ...more }),
  )
  if (!Array.isArray(messages)) throw new Error("no messages")
  const rows = messages.map(({ id, direction, content }): Row => ({ id, direction, text: content.text }))
  return { rows, nextCursor, hasMore }
}
