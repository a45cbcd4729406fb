// The bare transport for bench/ws.ts: the same provider package and the same frames over the same library, without an
// engine. Each message is acknowledged at once and answered with the provider's text; nothing is stored.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { createServer } from "node:http"
import { WebSocketServer, type WebSocket } from "ws"
import { encodeFrame } from "../src/protocols/ws/codec.ts"
import { immediateResponse, eventualResponse, tokenEvent } from "../src/protocols/ws/server-events.ts"
import type { TurnResult } from "../src/protocols/ws/frames.ts"

const provider = createOpenAICompatible({ name: "local", baseURL: process.argv[2] ?? "", includeUsage: true })
const model = provider.chatModel("m")
const server = createServer()
const sockets = new WebSocketServer({ server, path: "/ws", perMessageDeflate: false })
sockets.on("connection", (socket) => socket.on("message", (data: Buffer) => void hear(socket, data)))

async function hear(socket: WebSocket, data: Buffer): Promise<void> {
  const { action, requestId, message }: Record<string, string> = JSON.parse(data.toString())
  if (requestId === undefined) return
  if (action === "create_conversation_session")
    return socket.send(
      encodeFrame(immediateResponse(requestId, 200, "Session created", { sessionId: "s" }, Date.now())),
    )
  socket.send(encodeFrame(immediateResponse(requestId, 202, "Processing your request...", {}, Date.now())))
  if (message !== undefined) await relay(socket, requestId, message)
}

async function relay(socket: WebSocket, requestId: string, message: string): Promise<void> {
  let all = ""
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: message }] }] })
  for await (const part of stream) {
    if (part.type !== "text-delta") continue
    all += part.delta
    socket.send(encodeFrame(tokenEvent("stream_token", requestId, part.delta, Date.now())))
  }
  socket.send(encodeFrame(eventualResponse(requestId, resultOf(all), Date.now())))
}

function resultOf(text: string): TurnResult {
  return {
    messageId: "m",
    response: {
      responseParts: [text],
      customerHappinessScore: 0.5,
      needsSatisfactionScore: 0.5,
      requestSummary: "",
      resolutionStatus: "in_progress",
      suggestedNextActions: [],
    },
    needsEscalation: false,
  }
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
