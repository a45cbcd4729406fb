// The text of a file that ought to be small, whoever wrote it: a folder, a pipe or something huge under its name is
// not read. No domain words here.
import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Undefined when there is no such file, or it is no plain file, larger than `limit` bytes, or not UTF-8. */
export async function readSmallFile(path: string, limit: number): Promise<string | undefined> {
  const file = await opened(path)
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    if (!stat.isFile() || stat.size > limit) return undefined
    const room = Buffer.alloc(limit + 1) // it may have grown meanwhile
    const { bytesRead } = await file.read(room, 0, room.length, 0)
    return bytesRead > limit ? undefined : decoder.decode(room.subarray(0, bytesRead))
  } catch {
    return undefined // it cannot be read, or is no text: as good as none
  } finally {
    await file.close()
  }
}

/** Without waiting for the other side of a pipe. */
function opened(path: string): Promise<FileHandle | undefined> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
}
