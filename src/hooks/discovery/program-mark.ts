// Fingerprint of an extension's files: its manifest and the files of its folder named on its command line. Files that
// the program loads itself are not included.
import { realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { manifestPath, type ExtensionSpec } from "./discover.ts"

export function programMark({ folder, commandLine }: ExtensionSpec): string {
  const insides = [folder, realPathOf(folder)].map((path) => path + sep)
  const named = [commandLine.command, ...commandLine.args]
  const own = named.filter((word) => insides.some((inside) => word.startsWith(inside)))
  return [join(folder, manifestPath), ...own].map(markOf).join(" ")
}

/** Unreadable files have a fingerprint too: they may become readable. */
function markOf(path: string): string {
  try {
    const found = statSync(path)
    return found.isFile() ? `${found.ino}:${found.size}:${found.mtimeMs}` : "no file"
  } catch {
    return "nothing"
  }
}

/** The folder may have been removed. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
