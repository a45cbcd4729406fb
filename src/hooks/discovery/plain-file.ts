// Reads a regular file of limited size. A named pipe would block the host, and an endless file would fill its memory.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"

const MAX_BYTES = 4 * 1024 * 1024

/** Throws if the file cannot be read, is not regular, or is too large. */
export function readPlainFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // does not block on a pipe
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new Error(`${path} is not a file`)
    if (found.size > MAX_BYTES) throw new Error(`${path} has ${found.size} bytes, more than ${MAX_BYTES}`)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}
