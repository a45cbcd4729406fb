// Bytes over one socket. What is sent to a socket within one turn of the event loop is held back until its end and goes
// out in one write: for many clients at once that is what telling them costs.
import type { Socket } from "node:net"
import type { ByteReader, LineConnection } from "./line-connection.ts"

/** When the other side cannot be written to any more: it is over, or what it said before is still read. */
export type AtBrokenPipe = "closes" | "reads on"

export function attachBytes(
  socket: Socket,
  reader: (connection: LineConnection) => ByteReader,
  atBrokenPipe: AtBrokenPipe = "closes",
): LineConnection {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  let isBroken = false
  let waiting: (() => void)[] = []
  const drained = () => {
    const resolved = waiting
    waiting = []
    for (const one of resolved) one()
  }
  const connection: LineConnection = {
    send: (line) => {
      if (!isBroken) write(socket, `${line}\n`)
    },
    sendBytes: (line) => {
      if (!isBroken) write(socket, line)
    },
    get waiting() {
      return socket.writableLength
    },
    drained: () =>
      socket.writableNeedDrain && socket.writable && !isBroken
        ? new Promise((written) => waiting.push(written))
        : Promise.resolve(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    closed,
    end: () => void socket.end(),
    destroy: () => destroyFlushed(socket),
  }
  const { bytes, end } = reader(connection)
  socket.on("drain", drained)
  socket.on("data", bytes)
  socket.on("end", end)
  if (atBrokenPipe === "reads on")
    readOnWhenBroken(socket, () => {
      isBroken = true
      drained()
    })
  socket.on("error", () => socket.destroy()) // the other side is gone; `closed` says so
  socket.on("close", () => {
    resolve()
    drained()
  })
  return connection
}

/** Whatever the system takes at once is still delivered. */
export function destroyFlushed(socket: Socket): void {
  if (socket.writableCorked > 0) socket.uncork()
  socket.destroy()
}

/**
 * A socket is destroyed when a write fails, and with it what lies there unread. Here it lives on until that is read: the
 * other side may have said something and left without waiting for an answer.
 */
function readOnWhenBroken(socket: Socket, onBroken: () => void): void {
  const [writeOne, writeMany] = [socket["_write"].bind(socket), socket["_writev"]?.bind(socket)]
  let isBroken = false
  const surviving = remembered((done: () => void) => (fault?: Error | null) => {
    if (fault !== undefined && fault !== null) {
      isBroken = true
      onBroken()
    }
    done()
  })
  socket["_write"] = (chunk, encoding, done) => writeOne(chunk, encoding, surviving(done))
  if (writeMany !== undefined) socket["_writev"] = (chunks, done) => writeMany(chunks, surviving(done))
  socket.on("end", () => isBroken && socket.destroy())
}

/** A stream always brings the same function, and much is written. */
function remembered<Argument, Result>(make: (argument: Argument) => Result): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: make(argument) }
    return last.result
  }
}

/** Sockets with words held back in this turn of the event loop. */
let held: Socket[] = []

function write(socket: Socket, bytes: string | Uint8Array): void {
  if (!socket.writable) return
  if (socket.writableCorked === 0) hold(socket)
  socket.write(bytes)
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
