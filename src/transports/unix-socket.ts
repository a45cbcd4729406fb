// NDJSON over a Unix socket: lines in, lines out. Nobody but the owner can open the socket file, whatever the umask.
// A path that is too long for the system is reached through its folder.
import { once } from "node:events"
import { chmodSync, closeSync, mkdirSync, openSync, unlinkSync } from "node:fs"
import { createConnection, createServer, type Server, type Socket } from "node:net"
import { basename, dirname } from "node:path"
import { LineSplitter, type Line } from "./framing/lines.ts"

export interface LineConnection {
  /** False when the other side does not keep up: what was written waits in memory. */
  send(line: string): boolean
  /** Bytes that wait to be written. */
  readonly waiting: number
  /** Resolves when nothing waits any more, or nobody is there to read it. */
  drained(): Promise<void>
  readonly closed: Promise<void>
  /** Writes what waits, then closes. */
  end(): void
  destroy(): void
}

export interface LineListener {
  close(): Promise<void>
}

export type OnConnection = (connection: LineConnection) => (line: Line) => void

/** The longest path a Unix socket address can hold on Linux. */
const longestPath = 107

export async function listenOnSocket(
  path: string,
  maxLineBytes: number,
  onConnection: OnConnection,
): Promise<LineListener> {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    attach(socket, maxLineBytes, onConnection)
  })
  await bind(server, path)
  chmodSync(path, 0o600)
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
      removeFile(path) // Node leaves a file that was bound through its folder
    },
  }
}

export async function connectToSocket(
  path: string,
  maxLineBytes: number,
  onConnection: OnConnection,
): Promise<LineConnection> {
  const address = reachable(path)
  try {
    const socket = createConnection(address.path)
    await once(socket, "connect")
    return attach(socket, maxLineBytes, onConnection)
  } finally {
    address.release()
  }
}

async function bind(server: Server, path: string): Promise<void> {
  removeFile(path) // the name is fresh for every host, so whatever lies there is left over
  const address = reachable(path)
  const before = process.umask(0o177) // the file must never be open to others, not even for a moment
  try {
    server.listen(address.path) // the file is made before this returns
  } finally {
    process.umask(before)
  }
  await once(server, "listening").finally(() => address.release())
}

function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (fault) {
    if (!(fault instanceof Error) || !("code" in fault) || fault.code !== "ENOENT") throw fault
  }
}

function reachable(path: string): { readonly path: string; release(): void } {
  if (Buffer.byteLength(path) <= longestPath || process.platform !== "linux") return { path, release: () => {} }
  const folder = openSync(dirname(path), "r")
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, release: () => closeSync(folder) }
}

function drain(socket: Socket): Promise<void> {
  if (!socket.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => socket.once("drain", resolve))
}

function attach(socket: Socket, maxLineBytes: number, onConnection: OnConnection): LineConnection {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const connection: LineConnection = {
    send: (line) => !socket.destroyed && socket.write(`${line}\n`),
    get waiting() {
      return socket.writableLength
    },
    drained: () => Promise.race([closed, drain(socket)]),
    closed,
    end: () => socket.end(),
    destroy: () => socket.destroy(),
  }
  const splitter = new LineSplitter(maxLineBytes, onConnection(connection))
  socket.on("data", (chunk: Buffer) => splitter.push(chunk))
  socket.on("end", () => splitter.end())
  socket.on("error", () => socket.destroy()) // the other side is gone; `closed` says so
  socket.on("close", () => resolve())
  return connection
}
