// Reads a file that should be small and may be written by other programs: a folder, a pipe or a huge file under its name
// is not read.
import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Undefined when there is no such file, or it is not a plain file, larger than `limit` bytes, or not UTF-8. */
export async function readSmallFile(path: string, limit: number): Promise<string | undefined> {
  const file = await openNow(path)
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    if (!stat.isFile() || stat.size > limit) return undefined
    const buffer = Buffer.alloc(limit + 1) // the file may have grown meanwhile
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return bytesRead > limit ? undefined : decoder.decode(buffer.subarray(0, bytesRead))
  } catch {
    return undefined // unreadable, or not text: treated as missing
  } finally {
    await file.close()
  }
}

/** Does not wait for the writer of a pipe. */
function openNow(path: string): Promise<FileHandle | undefined> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
}
