// Whether a folder may configure what runs in it. A folder is untrusted until its user says otherwise, and again when
// one of the files named in `projectFiles` has changed. Whatever cannot be read or understood counts as untrusted.
// What those files point at (a plugin elsewhere, a script that a tool runs) is not watched.
// Most folders have none of them, so what it takes to look closer is loaded only then.
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { ConfigFault } from "./config-fault.ts"
import { inWords } from "./file-errors.ts"
import { projectFilesIn, realPathOf } from "./project-files.ts"
import type { TrustedFolder } from "./trust-book.ts"

export interface FolderTrust {
  readonly state: "trusted" | "untrusted" | "changed" | "nothing"
  /** The folder's real path. */
  readonly folder: string
  /** Which of the project files are there. */
  readonly files: readonly string[]
  readonly warnings: readonly string[]
}

export interface TrustedFolders {
  readonly folders: readonly TrustedFolder[]
  readonly warnings: readonly string[]
}

export async function trustOf(home: string, dir: string): Promise<FolderTrust> {
  const folder = realFolder(dir)
  const files = projectFilesIn(folder, home)
  if (files.length === 0) return { state: "nothing", folder, files, warnings: [] }
  const { readTrustBook } = await import("./trust-book.ts")
  const book = readTrustBook(home)
  const known = book.folders.get(folder)
  if (known === undefined) return { state: "untrusted", folder, files, warnings: book.warnings }
  const { digestProject } = await import("./trust-digest.ts")
  const now = await digestProject(folder, home)
  if (now.kind === "unfit") return { state: "changed", folder, files, warnings: [...book.warnings, now.what] }
  return { state: now.digest === known.digest ? "trusted" : "changed", folder, files, warnings: book.warnings }
}

/** Trusts the folder as it is now. There is nothing to remember about a folder without project files. */
export async function trustFolder(home: string, dir: string): Promise<FolderTrust> {
  const folder = realFolder(dir)
  const files = projectFilesIn(folder, home)
  if (files.length === 0) return { state: "nothing", folder, files, warnings: [] }
  const { digestProject } = await import("./trust-digest.ts")
  const { changeTrustBook } = await import("./trust-book.ts")
  const now = await digestProject(folder, home)
  if (now.kind === "unfit") throw new ConfigFault([now.what])
  await changeTrustBook(home, (folders) => folders.set(folder, { digest: now.digest, at: new Date().toISOString() }))
  return { state: "trusted", folder, files, warnings: [] }
}

/** False when the folder was not trusted. A folder that is gone can be named by the path it had. */
export async function distrustFolder(home: string, dir: string): Promise<boolean> {
  const { changeTrustBook, readTrustBook } = await import("./trust-book.ts")
  const folder = realPathOf(resolve(dir))
  if (!readTrustBook(home).folders.has(folder)) return false
  return await changeTrustBook(home, (folders) => folders.delete(folder))
}

export async function trustedFolders(home: string): Promise<TrustedFolders> {
  const { readTrustBook } = await import("./trust-book.ts")
  const { folders, warnings } = readTrustBook(home)
  return { folders: [...folders].map(([folder, known]) => ({ folder, ...known })), warnings }
}

/** What doors and commands say about files that are not read; nothing when there is nothing to say. */
export function sentenceOnTrust({ state, folder, files }: FolderTrust): readonly string[] {
  if (state === "trusted" || files.length === 0) return []
  const why = state === "changed" ? "changed since the folder was trusted" : "the folder is not trusted"
  return [`${folder}: ${files.join(", ")} not read: ${why}. Look at what is there, then 'turnhouse trust ${folder}'.`]
}

function realFolder(dir: string): string {
  try {
    return realpathSync(dir)
  } catch (error) {
    throw new ConfigFault([`${dir}: ${inWords(error)}; name a folder that is there.`])
  }
}
