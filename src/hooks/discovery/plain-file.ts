// The text of a file that somebody else has put there: a pipe would keep the host waiting, and something huge or endless
// would fill its memory, so neither is read.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"

const mostBytes = 4 * 1024 * 1024

/** Throws when it cannot be read, is no plain file, or is too large. */
export function readPlainFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // never waits for the other side of a pipe
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new Error(`${path} is not a file`)
    if (found.size > mostBytes) throw new Error(`${path} has ${found.size} bytes, more than ${mostBytes}`)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}
