// NDJSON over a Unix socket: lines in, lines out. Nobody but the owner can open the socket file, whatever the umask.
// A path that is too long for the system is reached through its folder.
import { once } from "node:events"
import { chmodSync, closeSync, mkdirSync, openSync, unlinkSync } from "node:fs"
import { createConnection, createServer, type Server, type Socket } from "node:net"
import { basename, dirname } from "node:path"
import type { LineConnection, OnConnection } from "./line-connection.ts"
import { attachLines, destroyFlushed } from "./socket-lines.ts"

export interface LineListener {
  close(): Promise<void>
}

/** The longest path a Unix socket address can hold on Linux. */
const longestPath = 107
/** How many may stand in line until they are let in; the system may allow fewer. */
const backlog = 4096

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
    attachLines(socket, maxLineBytes, onConnection)
  })
  await bind(server, path)
  chmodSync(path, 0o600)
  return {
    close: async () => {
      for (const socket of sockets) destroyFlushed(socket)
      server.close()
      await once(server, "close")
      removeFile(path) // Node leaves a file that was bound through its folder
    },
  }
}

/** Whether certainly nobody listens there: a process that sleeps still takes connections. */
export async function isAbandoned(path: string): Promise<boolean> {
  const address = reachable(path)
  const socket = createConnection(address.path)
  try {
    await once(socket, "connect")
    return false
  } catch (fault) {
    return fault instanceof Error && "code" in fault && fault.code === "ECONNREFUSED"
  } finally {
    socket.destroy()
    address.release()
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
    return attachLines(socket, maxLineBytes, onConnection)
  } finally {
    address.release()
  }
}

async function bind(server: Server, path: string): Promise<void> {
  removeFile(path) // the name is fresh for every host, so whatever lies there is left over
  const address = reachable(path)
  const before = process.umask(0o177) // the file must never be open to others, not even for a moment
  try {
    server.listen({ path: address.path, backlog }) // the file is made before this returns
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
