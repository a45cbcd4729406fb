// A Unix socket under a path that other processes may want too: a live socket is kept, a dead one is replaced, and only
// the own file is removed. It is bound under another name and renamed once it accepts connections, so that only the owner
// can ever open it, whatever the umask.
import { randomBytes } from "node:crypto"
import { chmodSync, lstatSync, renameSync, type Stats } from "node:fs"
import { createServer, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { type Admits, bind, isAbandoned, makePrivateFolder, removeFile } from "./unix-socket.ts"

export interface ClaimedSocket {
  /** False when another process has replaced this socket with its own. */
  isCurrent(): boolean
  /** Accepts no more connections; the file is gone when this returns. Open connections stay. */
  leave(): void
  /** Resolves when the last connection is closed. */
  readonly closed: Promise<void>
}

/** Another process listens there. */
export class SocketTaken extends Error {
  override readonly name = "SocketTaken"
}

/** Bytes of a socket path on systems other than Linux. Longer paths are an error. */
const MAX_PATH_BYTES = 103

export interface ClaimOptions {
  /** Called when the path is free and no client can connect yet. */
  readonly beforehand?: () => void
  /** Whether to replace a socket that a process, perhaps a frozen one, listens on. It is replaced in one step. */
  readonly mayReplace?: () => boolean | Promise<boolean>
}

/** Connections are half-open: each side ends on its own. */
export async function claimSocket(
  path: string,
  admits: Admits,
  onSocket: (socket: Socket) => void,
  { beforehand = () => {}, mayReplace = () => false }: ClaimOptions = {},
): Promise<ClaimedSocket> {
  if (process.platform !== "linux" && Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new Error(`${path} is too long for a socket; the limit is ${MAX_PATH_BYTES} bytes. Choose a shorter folder.`)
  makePrivateFolder(dirname(path))
  const isTaken = fileAt(path) !== undefined && !(await mayReplace()) && !(await isAbandoned(path))
  if (isTaken) throw new SocketTaken(`another process listens on ${path}`)
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (admits(socket)) onSocket(socket)
    else socket.destroy()
  })
  const fresh = join(dirname(path), `.${randomBytes(4).toString("hex")}`)
  await bind(server, fresh)
  const closed = new Promise<void>((resolve) => server.once("close", resolve))
  server.on("error", () => {}) // a client that could not be accepted connects again
  const own = lstatSync(fresh)
  try {
    chmodSync(fresh, 0o600)
    beforehand()
    renameSync(fresh, path)
  } catch (fault) {
    server.close()
    removeFile(fresh)
    throw fault
  }
  return {
    isCurrent: () => isOwn(path, own),
    leave: () => {
      server.close()
      removeOwn(path, own)
    },
    closed,
  }
}

/** A file that replaced ours is kept. */
export function removeOwn(path: string, own: Pick<Stats, "dev" | "ino">): void {
  if (isOwn(path, own)) removeFile(path)
}

export function isOwn(path: string, own: Pick<Stats, "dev" | "ino">): boolean {
  const existing = fileAt(path)
  return existing !== undefined && existing.ino === own.ino && existing.dev === own.dev
}

export function fileAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
