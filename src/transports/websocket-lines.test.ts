import { createHash } from "node:crypto"
import { createServer, type Server, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { connectToWebSocket } from "./websocket-lines.ts"

const servers: Server[] = []
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** A server at which nobody is at home: it accepts connections, and `handshake` is all that it ever says. */
async function silentServer(handshake: (request: string) => string): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => {}) // the client may go at any time
    socket.once("data", (request) => socket.write(handshake(request.toString())))
  })
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return `ws://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
}

function accepted(request: string): string {
  const key = /^sec-websocket-key: (.+)\r$/im.exec(request)?.[1] ?? ""
  const answer = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${answer}\r\n\r\n`
}

it("is closed at once when it is destroyed, although the other side does not answer", async () => {
  const connection = await connectToWebSocket(await silentServer(accepted), () => () => {})
  connection.destroy()
  await connection.closed
  expect(sockets).toHaveLength(1)
})

it("gives up an attempt that is not answered", async () => {
  const attempt = connectToWebSocket(await silentServer(() => ""), () => () => {}, 50)
  await expect(attempt).rejects.toThrow("did not answer in time")
})
