// The bare transport for bench/ws.ts: the same frames over the same library, and nothing behind them. Each message is
// acknowledged and answered with as many words as it asks for, one for each turn of the event loop, as a model has it.
import { createServer } from "node:http"
import { WebSocketServer } from "ws"
import { answered, encode, eventualResponse, word } from "../src/protocols/ws/events.ts"
import type { TurnResult } from "../src/protocols/ws/frames.ts"

const words = Number(process.argv[2])
const text = process.argv[3] ?? ""
const server = createServer()
const sockets = new WebSocketServer({ server, path: "/ws", perMessageDeflate: false })
sockets.on("connection", (socket) => {
  socket.on("message", (data: Buffer) => {
    const { action, requestId }: { action: string; requestId: string } = JSON.parse(data.toString())
    if (action === "create_conversation_session")
      return socket.send(encode(answered(requestId, 200, "Session created", { sessionId: "s" }, Date.now())))
    socket.send(encode(answered(requestId, 202, "Processing your request...", {}, Date.now())))
    let left = words
    const next = () => {
      if (left === 0) return socket.send(encode(eventualResponse(requestId, result, Date.now())))
      left -= 1
      socket.send(encode(word("stream_token", requestId, text, Date.now())))
      setImmediate(next)
    }
    next()
  })
})
const result: TurnResult = {
  messageId: "m",
  response: {
    responseParts: [text.repeat(words)],
    customerHappinessScore: 0.5,
    needsSatisfactionScore: 0.5,
    requestSummary: "",
    resolutionStatus: "in_progress",
    suggestedNextActions: [],
  },
  needsEscalation: false,
}
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
