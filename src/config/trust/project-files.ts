// The project files of a folder: everything in it that can configure its sessions.
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { hasCode } from "../faults.ts"

export const projectConfig = "turnhouse.json"
/** Files and folders; none is read until the folder is trusted. */
export const projectFiles = [
  projectConfig,
  ".mcp.json",
  ".turnhouse",
  ".brainwires/commands",
  ".synaps/plugins",
  ".claude/agents",
  ".claude/commands",
  ".claude/skills",
] as const

/** Existing project files. The home folder is never one of them. */
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

/** The type of a path, with links followed. */
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
    return path // missing or not reachable
  }
}
