// Runs a file tool on a path: resolves it, asks the guards, holds its folder. An error of the file system becomes a
// failed result that names the path; other errors are defects and are thrown.
import { readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { failed } from "../define-tool.ts"
import type { FileToolDeps } from "./file-memory.ts"
import { ForbiddenFolder, holdFolder, type GuardFolders, type HeldFolder } from "./held-folder.ts"
import { locate, realPathOf, displayPathOf } from "./paths.ts"
import { systemCode } from "../../contract/faults.ts"
import type { ToolContext, ToolResult } from "../tool.ts"

const MESSAGE_BY_CODE: Readonly<Record<string, string>> = {
  ENOENT: "its folder cannot be made",
  EACCES: "permission is denied",
  EPERM: "the operation is not permitted",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "its symbolic links go in a circle",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  ENXIO: "it is not a regular file",
  ETXTBSY: "it is a program that runs at the moment",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
}

/** A path that passed the guards, in its folder. */
export interface HeldFile {
  readonly folder: HeldFolder
  readonly name: string
  readonly realPath: string
  /** The path for messages. */
  readonly displayPath: string
}

/** `written` creates missing folders. */
export async function withFile(
  path: string,
  verb: "read" | "listed" | "changed" | "written",
  { cwd }: Pick<ToolContext, "cwd">,
  { guardPath, guardFolders }: Pick<FileToolDeps, "guardPath" | "guardFolders">,
  run: (file: HeldFile) => Promise<ToolResult>,
): Promise<ToolResult> {
  const located = locate(path, cwd, guardPath)
  if (located.kind === "no") return failed(located.reason)
  const { realPath, displayPath } = located
  try {
    using folder = holdFolder(dirname(realPath), { guardFolders, create: verb === "written" })
    return await run({ folder, name: basename(realPath), realPath, displayPath })
  } catch (fault) {
    if (fault instanceof ForbiddenFolder) return failed(fault.message)
    const code = systemCode(fault)
    if (code === undefined) throw fault
    if (code === "ENOENT" && verb !== "written")
      return failed(missingFileMessage({ realPath, displayPath, cwd, guardFolders }))
    return failed(`${displayPath} cannot be ${verb}: ${MESSAGE_BY_CODE[code] ?? code}.`)
  }
}

interface MissingPath extends Pick<HeldFile, "realPath" | "displayPath"> {
  readonly cwd: string
  readonly guardFolders: GuardFolders
}

/** Suggests the nearest existing name. */
export function missingFileMessage({ realPath, displayPath, cwd, guardFolders }: MissingPath): string {
  const suggestion = nearestPath(realPath, guardFolders)
  const hint = suggestion === undefined ? "" : ` Did you mean ${displayPathOf(suggestion, realPathOf(cwd, "/"))}?`
  return `${displayPath} does not exist.${hint}`
}

function nearestPath(path: string, guardFolders: GuardFolders): string | undefined {
  const folder = dirname(path)
  if (folder === path) return undefined
  const names = namesIn(folder, guardFolders)
  if (names === undefined) return nearestPath(folder, guardFolders)
  const suggestion = nearestName(basename(path), names)
  return suggestion === undefined ? undefined : join(folder, suggestion)
}

function namesIn(folder: string, guardFolders: GuardFolders): string[] | undefined {
  try {
    using held = holdFolder(folder, { guardFolders })
    return readdirSync(held.path).slice(0, 5000)
  } catch {
    return undefined // missing, not readable or forbidden
  }
}

function nearestName(target: string, names: readonly string[]): string | undefined {
  const ranked = names
    .filter((name) => Math.abs(name.length - target.length) <= 3)
    .map((name) => ({ name, distance: distanceOf(target.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best !== undefined && best.distance < target.length && best.distance <= Math.max(2, target.length / 3)
    ? best.name
    : undefined
}

/** Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
