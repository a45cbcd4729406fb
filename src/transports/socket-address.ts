// The address of a Unix socket. A path that is too long for the system is reached through its folder, which only Linux
// supports.
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { createConnection, type Socket } from "node:net"
import { basename, dirname } from "node:path"

/** Bytes of a Unix socket address on Linux. */
const MAX_ADDRESS_BYTES = 107

export interface SocketAddress {
  readonly path: string
  /** Must be called when the address is not needed any more. */
  release(): void
}

export function reachable(path: string): SocketAddress {
  if (Buffer.byteLength(path) <= MAX_ADDRESS_BYTES || process.platform !== "linux") return { path, release: () => {} }
  const folder = openSync(dirname(path), "r")
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, release: () => closeSync(folder) }
}

/** A bare connection. Nothing is read before the caller adds a listener. */
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
