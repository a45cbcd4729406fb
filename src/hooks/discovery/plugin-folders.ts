// Finds the folders of plugins in their roots, by name. A later root replaces a plugin of the same name.
import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { messageOf } from "../../contract/faults.ts"

export interface FoldersRequest {
  readonly roots: readonly string[]
  readonly disabled: readonly string[]
  /** For these ids the first root counts: a project cannot replace a guard of the user. */
  readonly guards: readonly string[]
  /** Folders of plugins that must not be used. */
  readonly refused?: ReadonlySet<string>
}

export interface PluginFolders {
  readonly plugins: ReadonlyMap<string, string>
  /** Roots that cannot be listed, and why. */
  readonly unlisted: readonly { readonly root: string; readonly cause: string }[]
}

/** The trust digest of a folder excludes this name (config/tree-digest.ts), so nothing is loaded from it. */
const outsideDigest = ".git"
const manifests = [join(".synaps-plugin", "plugin.json"), join(".claude-plugin", "plugin.json")]

export function pluginFolders({ roots, disabled, guards, refused }: FoldersRequest): PluginFolders {
  const plugins = new Map<string, string>()
  const seen = new Set<string>()
  const unlisted: { root: string; cause: string }[] = []
  for (const root of roots) {
    const folders = foldersIn(root)
    if (typeof folders === "string") unlisted.push({ root, cause: folders })
    else
      for (const folder of folders) {
        const id = basename(folder)
        const isExcluded = disabled.includes(id) || (guards.includes(id) && seen.has(id))
        if (isExcluded || !isPluginFolder(folder)) continue
        seen.add(id)
        if (refused?.has(folder) === true) plugins.delete(id)
        else plugins.set(id, folder)
      }
  }
  return { plugins, unlisted }
}

export function isPluginFolder(folder: string): boolean {
  return manifests.some((manifest) => existsSync(join(folder, manifest)))
}

/** Or why the root cannot be listed. A root may itself be a plugin. */
function foldersIn(root: string): readonly string[] | string {
  if (!existsSync(root)) return []
  if (isPluginFolder(root)) return [root]
  try {
    return readdirSync(root)
      .filter((name) => name !== outsideDigest)
      .map((name) => join(root, name))
  } catch (fault) {
    return messageOf(fault)
  }
}
