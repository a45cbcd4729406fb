// Bytes over one socket. What is sent within one turn of the event loop goes out in one write, because with many clients
// the writes are the main cost.
import type { Socket } from "node:net"
import type { ByteReader, LineConnection } from "./line-connection.ts"

/** What to do when the peer cannot be written to any more: close, or read what it sent before. */
export type OnBrokenPipe = "close" | "keep reading"

export function attachBytes(
  socket: Socket,
  reader: (connection: LineConnection) => ByteReader,
  onBrokenPipe: OnBrokenPipe = "close",
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
  if (onBrokenPipe === "keep reading")
    keepReadingWhenBroken(socket, () => {
      isBroken = true
      drained()
    })
  socket.on("error", () => socket.destroy()) // the peer is gone; `closed` reports it
  socket.on("close", () => {
    resolve()
    drained()
  })
  return connection
}

/** What the system accepts at once is still delivered. */
export function destroyFlushed(socket: Socket): void {
  if (socket.writableCorked > 0) socket.uncork()
  socket.destroy()
}

/**
 * Node destroys a socket when a write fails, and with it the unread input. Here the socket stays until that is read: the
 * peer may have sent a command and left without waiting for the answer.
 */
function keepReadingWhenBroken(socket: Socket, onBroken: () => void): void {
  const [writeOne, writeMany] = [socket["_write"].bind(socket), socket["_writev"]?.bind(socket)]
  let isBroken = false
  const surviving = memoized((done: () => void) => (fault?: Error | null) => {
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

/** A stream passes the same callback with every write. */
function memoized<Argument, Result>(make: (argument: Argument) => Result): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined
  return (argument) => {
    if (last?.argument !== argument) last = { argument, result: make(argument) }
    return last.result
  }
}

/** Sockets that are corked in this turn of the event loop. */
let corked: Socket[] = []

function write(socket: Socket, bytes: string | Uint8Array): void {
  if (!socket.writable) return
  if (socket.writableCorked === 0) corkUntilNextTurn(socket)
  socket.write(bytes)
}

function corkUntilNextTurn(socket: Socket): void {
  socket.cork()
  if (corked.length === 0) setImmediate(uncorkAll)
  corked.push(socket)
}

function uncorkAll(): void {
  const sockets = corked
  corked = []
  for (const socket of sockets) if (socket.writableCorked > 0) socket.uncork()
}
