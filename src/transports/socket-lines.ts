// Lines over one socket.
import type { Socket } from "node:net"
import { LineSplitter } from "./framing/lines.ts"
import type { LineConnection, OnConnection } from "./line-connection.ts"
import { attachBytes } from "./socket-bytes.ts"

export function attachLines(socket: Socket, maxLineBytes: number, onConnection: OnConnection): LineConnection {
  return attachBytes(socket, (connection) => {
    const splitter = new LineSplitter(maxLineBytes, onConnection(connection))
    return { bytes: (chunk) => void splitter.push(chunk), end: () => splitter.end() }
  })
}
