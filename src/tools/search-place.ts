// Where a search begins: a real folder to run in, what to search there, and how the paths it finds are shown. Paths
// that the guard forbids are left out of what is found, also when the search began above them.
import type { BigIntStats } from "node:fs"
import { lstat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { missing } from "./file-faults.ts"
import type { FileToolDeps } from "./file-tool-deps.ts"
import { ForbiddenFolder, holdFolder, type GuardFolders } from "./held-folder.ts"
import { notAFile } from "./open-file.ts"
import { locate, realPathOf, shownPath } from "./paths.ts"
import { systemCode } from "./system-code.ts"

export type SearchPlace =
  | {
      readonly kind: "place"
      readonly folder: string
      /** The folder itself, or one file in it. */
      readonly target: string
      /** Nothing when the path is forbidden. `found` is what ripgrep calls it. */
      readonly show: (found: string) => string | undefined
    }
  | { readonly kind: "no"; readonly why: string }

export async function searchPlace(path: string | undefined, cwd: string, deps: FileToolDeps): Promise<SearchPlace> {
  const { guardPath, guardFolders } = deps
  const located = locate(path ?? ".", cwd, guardPath)
  if (located.kind === "no") return located
  const { real, shown } = located
  const stat = await statOf(real, guardFolders)
  if (typeof stat === "string") return { kind: "no", why: stat }
  if (stat === undefined) return { kind: "no", why: missing({ real, shown, cwd, guardFolders }) }
  const isFolder = stat.isDirectory()
  if (!isFolder && !stat.isFile()) return { kind: "no", why: notAFile(stat, shown) }
  const folder = isFolder ? real : dirname(real)
  const realCwd = realPathOf(cwd, "/")
  const show = (found: string) => {
    const foundPath = join(folder, found)
    return guardPath(foundPath) === undefined ? shownPath(foundPath, realCwd) : undefined
  }
  return { kind: "place", folder, target: isFolder ? "." : `./${basename(real)}`, show }
}

/** A sentence when the path leads into a forbidden folder; undefined when nothing is there. */
async function statOf(real: string, guardFolders: GuardFolders): Promise<BigIntStats | string | undefined> {
  try {
    using folder = holdFolder(dirname(real), { guardFolders })
    return await lstat(folder.at(basename(real)), { bigint: true })
  } catch (fault) {
    if (fault instanceof ForbiddenFolder) return fault.message
    if (systemCode(fault) === undefined) throw fault
    return undefined
  }
}
