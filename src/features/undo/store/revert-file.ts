// Takes one file back to its state before a turn, unless it is no longer in the state after it. Repeatable: a file that
// already has its earlier state counts as reverted.
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname } from "node:path"
import { systemCode } from "../../../contract/faults.ts"
import type { UndoneFile } from "../../../contract/views/undo.ts"
import { holdFolder } from "../../../tools/files/held-folder.ts"
import { findVersion, isSameVersion, type FileVersion, type Found } from "./file-version.ts"

export interface FileChange {
  readonly file: string
  /** The path for people. */
  readonly label: string
  /** Absent: there was no file. */
  readonly before: FileVersion | undefined
  readonly after: FileVersion | undefined
}

export interface RevertOptions {
  readonly algorithm: "sha1" | "sha256"
  /** Undefined if the store has lost it. */
  readonly read: (hash: string) => Promise<Buffer | undefined>
  /** Where the state after the turn was not recorded: a file that changed later was changed by another program. */
  readonly changedBefore?: number
  readonly dryRun: boolean
}

const anyFolder = () => () => undefined

export async function revertFile(change: FileChange, options: RevertOptions): Promise<UndoneFile> {
  const { label, before } = change
  const current = findVersion(change.file, options.algorithm)
  const action = actionOf(change, current)
  if (isSameVersion(before, versionOf(current)) && current.kind !== "other") return { path: label, action }
  const reason = conflictReason(change, current, options)
  if (reason !== undefined) return { path: label, action: "conflict", reason }
  const content = before === undefined ? undefined : await options.read(before.hash)
  if (before !== undefined && content === undefined)
    return { path: label, action: "failed", reason: "its earlier content is no longer stored" }
  if (options.dryRun) return { path: label, action }
  try {
    if (before === undefined || content === undefined) removeFile(change.file)
    else writeVersion(change.file, before, content, current)
    return { path: label, action }
  } catch (fault) {
    const code = systemCode(fault)
    if (code === undefined) throw fault
    return { path: label, action: "failed", reason: code }
  }
}

function actionOf({ before }: FileChange, current: Found): UndoneFile["action"] {
  if (before === undefined) return "deleted"
  return current.kind === "none" ? "recreated" : "restored"
}

function versionOf(found: Found): FileVersion | undefined {
  return found.kind === "file" ? found.version : undefined
}

function conflictReason({ after }: FileChange, current: Found, { changedBefore }: RevertOptions): string | undefined {
  if (current.kind === "other") return "it is no longer a file"
  if (changedBefore !== undefined) {
    const isLater = current.kind === "file" && current.stat.ctimeMs > changedBefore
    return isLater ? "it was changed after the turn" : undefined
  }
  if (isSameVersion(after, versionOf(current))) return undefined
  return current.kind === "none" ? "it was deleted after the turn" : "it was changed after the turn"
}

function removeFile(file: string): void {
  using folder = holdFolder(dirname(file), { guardFolders: anyFolder })
  unlinkSync(folder.at(basename(file)))
}

/** Beside the file, then moved over it: a crash leaves the old file or the new one. */
function writeVersion(file: string, { mode }: FileVersion, content: Buffer, current: Found): void {
  using folder = holdFolder(dirname(file), { guardFolders: anyFolder, create: true })
  const temporary = folder.at(`.turnhouse-${randomBytes(8).toString("hex")}.tmp`)
  try {
    if (mode === "120000") symlinkSync(content, temporary)
    else writeContent(temporary, mode === "100755", content, current)
    renameSync(temporary, folder.at(basename(file)))
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Owner and permissions of an existing file are kept, except for its executable bits. */
function writeContent(path: string, isExecutable: boolean, content: Buffer, current: Found): void {
  const descriptor = openSync(path, "wx", isExecutable ? 0o777 : 0o666)
  try {
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  if (current.kind !== "file" || current.version.mode === "120000") return
  const { mode, uid, gid } = current.stat
  if (process.getuid?.() === 0) chownSync(path, uid, gid)
  const plain = mode & 0o7666
  chmodSync(path, isExecutable ? plain | ((plain & 0o444) >> 2) : plain)
}

/** Removes folders of deleted files that are empty now, except those that existed before the turn. */
export function removeEmptyFolders(top: string, files: readonly string[], existed: ReadonlySet<string>): void {
  for (const file of files) {
    for (let folder = dirname(file); folder.startsWith(`${top}/`) && !existed.has(folder); folder = dirname(folder))
      if (!isRemoved(folder)) break
  }
}

function isRemoved(folder: string): boolean {
  try {
    using parent = holdFolder(dirname(folder), { guardFolders: anyFolder })
    rmdirSync(parent.at(basename(folder)))
    return true
  } catch {
    return false // not empty, or not a folder any more
  }
}
