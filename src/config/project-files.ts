// Everything that a folder can bring to configure what runs in it, and which of it is there.
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { hasCode } from "./file-errors.ts"

export const projectConfig = "turnhouse.json"
/** Files and whole folders; none is read until the folder that holds them is trusted. */
export const projectFiles = [
  projectConfig,
  ".mcp.json",
  ".turnhouse",
  ".brainwires/commands",
  ".synaps/plugins",
  ".claude/agents",
] as const

/** Which project files are there. The home folder itself is none of them, wherever it lies. */
export function projectFilesIn(folder: string, home: string): readonly string[] {
  const realHome = realPathOf(home)
  return projectFiles.filter((file) => {
    const path = join(folder, file)
    return look(path).kind !== "absent" && realPathOf(path) !== realHome
  })
}

export type Looked =
  | { readonly kind: "file"; readonly stats: Stats }
  | { readonly kind: "folder" | "dangling" | "absent" | "closed" | "other" }

/** What stands at a path, links followed. */
export function look(path: string): Looked {
  try {
    const stats = statSync(path)
    if (stats.isFile()) return { kind: "file", stats }
    return { kind: stats.isDirectory() ? "folder" : "other" }
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM")) return { kind: "closed" }
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { kind: isLink(path) ? "dangling" : "absent" }
    if (hasCode(error, "ELOOP")) return { kind: "dangling" }
    throw error
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false
    throw error
  }
}

export function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // nothing there, or nothing that can be reached: it is the same as nothing else
  }
}
