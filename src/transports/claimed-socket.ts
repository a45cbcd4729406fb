// A socket under a name that others may want too. Nobody's live socket is taken away, a dead one is replaced, and at the
// end only the own file is removed. It is made under another name and appears under its own when it takes connections:
// nobody but the owner can open it, whatever the umask.
import { randomBytes } from "node:crypto"
import { chmodSync, lstatSync, renameSync, type Stats } from "node:fs"
import { createServer, type Socket } from "node:net"
import { dirname, join } from "node:path"
import { type Admits, bind, isAbandoned, makePrivateFolder, removeFile } from "./unix-socket.ts"

export interface ClaimedSocket {
  /** False when another process has put its own socket in the place of this one. */
  isCurrent(): boolean
  /** Takes nobody in any more; the file is gone when this returns. Who is in stays. */
  leave(): void
  /** Resolves when also the last one has left. */
  readonly closed: Promise<void>
}

/** Somebody listens there. */
export class SocketTaken extends Error {
  override readonly name = "SocketTaken"
}

/** Where there is no way around the length of a socket's address. */
const longestPathElsewhere = 103

export interface ClaimOptions {
  /** Resolves when the name is free and no client can connect yet. */
  readonly beforehand?: () => void
  /** Asked when a process listens there, which may be frozen. If so, it is replaced in one step, without a gap. */
  readonly mayReplace?: () => boolean | Promise<boolean>
}

/** Each side of a connection ends on its own. */
export async function claimSocket(
  path: string,
  admits: Admits,
  onSocket: (socket: Socket) => void,
  { beforehand = () => {}, mayReplace = () => false }: ClaimOptions = {},
): Promise<ClaimedSocket> {
  if (process.platform !== "linux" && Buffer.byteLength(path) > longestPathElsewhere)
    throw new Error(`${path} is longer than the ${longestPathElsewhere} bytes that a socket's address can hold here`)
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
  server.on("error", () => {}) // one who could not be let in comes again
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

/** What another has put in its place meanwhile is not ours to remove. */
export function removeOwn(path: string, own: Pick<Stats, "dev" | "ino">): void {
  if (isOwn(path, own)) removeFile(path)
}

function isOwn(path: string, own: Pick<Stats, "dev" | "ino">): boolean {
  const there = fileAt(path)
  return there !== undefined && there.ino === own.ino && there.dev === own.dev
}

export function fileAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
