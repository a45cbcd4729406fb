// The bare relay behind WebSockets, with the frames of the WebSocket API.
import { createServer } from "node:http"
import { WebSocketServer } from "ws"
import type { Relay } from "./ask.ts"

export function serveSockets(relay: Relay): void {
  const server = createServer()
  const sockets = new WebSocketServer({ server, path: "/ws", perMessageDeflate: false })
  sockets.on("connection", (socket, { socket: tcp }) => {
    let history: object[] = []
    const send = (...frames: readonly object[]) => {
      tcp.cork()
      for (const frame of frames) socket.send(JSON.stringify(frame))
      tcp.uncork()
    }
    socket.on("message", (data: Buffer) => {
      const { action, requestId, message }: Record<string, string> = JSON.parse(data.toString())
      const timestamp = Date.now()
      if (message === undefined) {
        history = []
        return send({ type: "immediate_response", requestId, status: 200, data: { action, sessionId: "s" }, timestamp })
      }
      const chunk = (rawResponse: object) => send({ type: "stream_chunk", requestId, data: { rawResponse }, timestamp })
      relay.ask(history, message, {
        onDeltas: (deltas) => send(...deltas.map((token) => tokenFrame(requestId, token))),
        onCall: (toolCall) => chunk({ toolCall }),
        onResult: ({ id }, result) => chunk({ toolResult: { id, result } }),
        onEnd: () => send({ type: "eventual_response", requestId, status: 200, data: {}, timestamp }),
      })
      // after the message is stored
      send({ type: "immediate_response", requestId, status: 202, data: {}, timestamp })
    })
  })
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
  })
}

function tokenFrame(requestId: string | undefined, token: string): object {
  return { type: "stream_token", requestId, token, data: { requestId, token }, timestamp: Date.now() }
}
