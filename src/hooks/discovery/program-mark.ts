// Tells whether an extension's files are still those it was started from: its manifest, and the files of its own folder
// that its command line names. What the program loads by itself is not looked at.
import { realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { manifestPath, type ExtensionSpec } from "./discover.ts"

export function programMark({ folder, commandLine }: ExtensionSpec): string {
  const insides = [folder, realPathOf(folder)].map((path) => path + sep)
  const named = [commandLine.command, ...commandLine.args]
  const own = named.filter((word) => insides.some((inside) => word.startsWith(inside)))
  return [join(folder, manifestPath), ...own].map(markOf).join(" ")
}

/** What cannot be looked at has a mark too: it may come back. */
function markOf(path: string): string {
  try {
    const found = statSync(path)
    return found.isFile() ? `${found.ino}:${found.size}:${found.mtimeMs}` : "no file"
  } catch {
    return "nothing"
  }
}

/** The folder may be gone by now. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
