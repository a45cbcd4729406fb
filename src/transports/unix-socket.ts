// Lines over a Unix socket that only its owner can open, whatever the umask.
import { once } from "node:events"
import { chmodSync, mkdirSync, statSync, unlinkSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { dirname } from "node:path"
import type { LineConnection, LineListener, OnConnection } from "./line-connection.ts"
import { openSocket, reachable } from "./socket-address.ts"
import { destroyFlushed, attachBytes } from "./socket-bytes.ts"
import { LineSplitter } from "./framing/lines.ts"

/** Connections that wait to be accepted; the system may allow fewer. */
const backlog = 4096

/** Whether to accept a connection. Called before anything is read. */
export type Admits = (socket: Socket) => boolean

export async function listenOnSocket(
  path: string,
  maxLineBytes: number,
  admits: Admits,
  onConnection: OnConnection,
): Promise<LineListener> {
  makePrivateFolder(dirname(path))
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (!admits(socket)) return void socket.destroy()
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    attachLines(socket, maxLineBytes, onConnection)
  })
  await bind(server, path)
  try {
    chmodSync(path, 0o600)
  } catch (fault) {
    server.close() // otherwise it keeps the process alive
    throw fault
  }
  return {
    close: async () => {
      for (const socket of sockets) destroyFlushed(socket)
      server.close()
      await once(server, "close")
      removeFile(path) // Node leaves a file that was bound through its folder
    },
  }
}

/** Whether certainly no process listens there: a stopped process still accepts connections. */
export async function isAbandoned(path: string): Promise<boolean> {
  try {
    const socket = await openSocket(path)
    socket.destroy()
    return false
  } catch (fault) {
    return codeOf(fault) === "ECONNREFUSED"
  }
}

export async function connectToSocket(
  path: string,
  maxLineBytes: number,
  onConnection: OnConnection,
): Promise<LineConnection> {
  return attachLines(await openSocket(path), maxLineBytes, onConnection)
}

export function makePrivateFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) return chmodSync(folder, 0o700) // whatever the umask removed
  const { mode } = statSync(folder)
  const [writable, sticky] = [(mode & 0o022) !== 0, (mode & 0o1000) !== 0]
  if (writable && !sticky)
    throw new Error(
      `${folder}: other users may write to it. Remove that permission (chmod go-w), or choose another folder.`,
    )
}

/** Removes what is left under the path, so no other process may use it. */
export async function bind(server: Server, path: string): Promise<void> {
  removeFile(path)
  const address = reachable(path)
  const before = process.umask(0o177) // the file must never be accessible to others, not even for a moment
  try {
    server.listen({ path: address.path, backlog }) // the file is made before this returns
  } finally {
    process.umask(before)
  }
  await once(server, "listening").finally(() => address.release())
}

export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (fault) {
    if (codeOf(fault) !== "ENOENT") throw fault
  }
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error && "code" in fault ? fault.code : undefined
}

function attachLines(socket: Socket, maxLineBytes: number, onConnection: OnConnection): LineConnection {
  return attachBytes(socket, (connection) => {
    const splitter = new LineSplitter(maxLineBytes, onConnection(connection))
    return { bytes: (chunk) => void splitter.push(chunk), end: () => splitter.end() }
  })
}
