// Where a Unix socket is reached. A path that is too long for the system is reached through its folder; only Linux
// has a way to do that. No domain words here.
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { createConnection, type Socket } from "node:net"
import { basename, dirname } from "node:path"

/** The longest path a Unix socket address can hold on Linux. */
const longestPath = 107

export interface SocketAddress {
  readonly path: string
  /** To be called when the address was used, or will not be. */
  release(): void
}

export function reachable(path: string): SocketAddress {
  if (Buffer.byteLength(path) <= longestPath || process.platform !== "linux") return { path, release: () => {} }
  const folder = openSync(dirname(path), "r")
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, release: () => closeSync(folder) }
}

/** A connection as it is. Nothing is read from it before somebody listens. */
export async function openSocket(path: string, signal?: AbortSignal): Promise<Socket> {
  signal?.throwIfAborted()
  const address = reachable(path)
  const socket = createConnection(address.path)
  try {
    await once(socket, "connect", signal === undefined ? {} : { signal })
    return socket
  } catch (fault) {
    socket.destroy()
    throw fault
  } finally {
    address.release()
  }
}
