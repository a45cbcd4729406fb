// Lines over one socket. What is sent to a socket within one turn of the event loop is held back until its end and goes
// out in one write: for many clients at once that is what telling them costs.
import type { Socket } from "node:net"
import { LineSplitter } from "./framing/lines.ts"
import type { LineConnection, OnConnection } from "./line-connection.ts"

export function attachLines(socket: Socket, maxLineBytes: number, onConnection: OnConnection): LineConnection {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const connection: LineConnection = {
    send: (line) => write(socket, `${line}\n`),
    sendBytes: (line) => write(socket, line),
    get waiting() {
      return socket.writableLength
    },
    drained: () => Promise.race([closed, drain(socket)]),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    closed,
    end: () => void socket.end(),
    destroy: () => destroyFlushed(socket),
  }
  const splitter = new LineSplitter(maxLineBytes, onConnection(connection))
  socket.on("data", (chunk: Buffer) => splitter.push(chunk))
  socket.on("end", () => splitter.end())
  socket.on("error", () => socket.destroy()) // the other side is gone; `closed` says so
  socket.on("close", () => resolve())
  return connection
}

/** Whatever the system takes at once is still delivered. */
export function destroyFlushed(socket: Socket): void {
  if (socket.writableCorked > 0) socket.uncork()
  socket.destroy()
}

/** Sockets with words held back in this turn of the event loop. */
let held: Socket[] = []

function write(socket: Socket, line: string | Uint8Array): void {
  if (!socket.writable) return
  if (socket.writableCorked === 0) hold(socket)
  socket.write(line)
}

function hold(socket: Socket): void {
  socket.cork()
  if (held.length === 0) setImmediate(release)
  held.push(socket)
}

function release(): void {
  const sockets = held
  held = []
  for (const socket of sockets) if (socket.writableCorked > 0) socket.uncork()
}

function drain(socket: Socket): Promise<void> {
  if (!socket.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => socket.once("drain", resolve))
}
