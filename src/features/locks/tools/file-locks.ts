// Which lock a written file needs. Apart from command-locks.ts, which is loaded only with the first command.
import { basename, extname } from "node:path"
import type { LockRequest } from "../conflicts.ts"
import { realPathOf } from "../../../tools/files/paths.ts"

/** Writing a source file waits for builds and tests; writing prose does not. */
export function fileLocks(path: string, cwd: string): readonly LockRequest[] {
  if (path.includes("\0") || !isSource(path)) return []
  return [{ kind: "file_write", scope: realPathOf(path, cwd) }]
}

const proseEnds = new Set([".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".pdf", ".csv", ".tsv"])

function isSource(path: string): boolean {
  return !proseEnds.has(extname(path).toLowerCase()) || basename(path).toLowerCase() === "cmakelists.txt"
}
