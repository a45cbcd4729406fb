// The folders whose instruction files apply to a session, and whether they are trusted: from the repository's root down
// to the working folder, or the working folder alone where there is no repository.
import { existsSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { look, realPathOf } from "../trust/project-files.ts"

/** In this order; the last is one that people keep out of the repository. */
export const instructionNames = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"] as const

/** A path that is deeper than this is not searched up to its root. */
const MAX_DEPTH = 100

export interface InstructionFolders {
  /** Real path of the repository's root, or of the working folder. */
  readonly root: string
  /** Real paths, the root first. */
  readonly folders: readonly string[]
}

export function instructionFolders(cwd: string): InstructionFolders {
  const folder = realPathOf(cwd)
  const folders = [folder]
  for (let at = folder; folders.length < MAX_DEPTH; folders.unshift(at)) {
    if (existsSync(join(at, ".git"))) return { root: at, folders }
    if (dirname(at) === at) break
    at = dirname(at)
  }
  return { root: folder, folders: [folder] }
}

/** Existing instruction files of these folders, relative to the root. */
export function instructionFilesIn({ root, folders }: InstructionFolders): readonly string[] {
  return folders
    .flatMap((folder) => instructionNames.map((name) => join(folder, name)))
    .filter((path) => look(path).kind !== "absent")
    .map((path) => relative(root, path))
}

/**
 * Trust in the working folder, or in a folder above it up to the repository's root, covers all instruction files of the
 * way. They may change without a new review: they are outside the digest.
 */
export async function trustsInstructions(home: string, { folders }: InstructionFolders): Promise<boolean> {
  const { readTrustBook } = await import("../trust/trust-book.ts")
  const trusted = readTrustBook(home).folders
  return folders.some((folder) => trusted.has(folder))
}
