// Whether a folder may configure its sessions. A folder is untrusted until its user trusts it, and again when one of its
// project files changes. What those files refer to is not checked here. Details are loaded only if there are such files.
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { ConfigFault, describeError } from "../faults.ts"
import { projectFilesIn, realPathOf } from "./project-files.ts"
import type { TrustedFolder } from "./trust-book.ts"

export interface FolderTrust {
  readonly state: "trusted" | "untrusted" | "changed" | "nothing"
  /** The folder's real path. */
  readonly folder: string
  /** Existing project files. */
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

/** False also for a folder that is gone. */
export async function isTrusted(home: string, dir: string): Promise<boolean> {
  try {
    return (await trustOf(home, dir)).state === "trusted"
  } catch (fault) {
    if (fault instanceof ConfigFault) return false
    throw fault
  }
}

/** Trusts the folder in its current state. A folder without project files and instruction files needs no trust. */
export async function trustFolder(home: string, dir: string): Promise<FolderTrust> {
  const folder = realFolder(dir)
  const files = projectFilesIn(folder, home)
  if (files.length === 0 && !(await hasInstructions(folder))) return { state: "nothing", folder, files, warnings: [] }
  const { digestProject } = await import("./trust-digest.ts")
  const { changeTrustBook } = await import("./trust-book.ts")
  const now = await digestProject(folder, home)
  if (now.kind === "unfit") throw new ConfigFault([now.what])
  await changeTrustBook(home, (folders) => folders.set(folder, { digest: now.digest, at: new Date().toISOString() }))
  return { state: "trusted", folder, files, warnings: [] }
}

/** AGENTS.md and CLAUDE.md, of the folder or of the repository around it, need trust but are outside the digest. */
async function hasInstructions(folder: string): Promise<boolean> {
  const { instructionFilesIn, instructionFolders } = await import("../instructions/folders.ts")
  return instructionFilesIn(instructionFolders(folder)).length > 0
}

/** False if the folder was not trusted. A deleted folder can be named by its former path. */
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

/** The warning about project files that are not read. */
export function sentenceOnTrust({ state, folder, files }: FolderTrust): readonly string[] {
  if (state === "trusted" || files.length === 0) return []
  const reason = state === "changed" ? "changed since the folder was trusted" : "the folder is not trusted"
  return [`${folder}: ${files.join(", ")} not read: ${reason}. Review them, then run 'turnhouse trust ${folder}'.`]
}

function realFolder(dir: string): string {
  try {
    return realpathSync(dir)
  } catch (error) {
    throw new ConfigFault([`${dir}: ${describeError(error)}; name an existing folder.`])
  }
}
