// What an update of an installed plugin would change.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { contentsOf, type PluginContents } from "../../plugins/contents.ts"
import { readPlugin } from "../../plugins/layout.ts"
import { digestPlugin, pluginsFolder, type Pin } from "../../plugins/pins.ts"
import type { StagedPlugin } from "./staging.ts"

export interface PluginChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
  /** What it could not start or do before: permissions, hooks, command lines, MCP servers. */
  readonly gained: readonly string[]
}

/** Undefined if the installed files are the same. */
export async function changesOf(home: string, pin: Pin, staged: StagedPlugin): Promise<PluginChanges | undefined> {
  const folder = join(pluginsFolder(home), staged.name)
  const before = existsSync(folder) ? await digestPlugin(folder, pin.writes) : undefined
  const files = before?.kind === "digest" ? before.entries : new Map<string, string>()
  const isSame = before?.kind === "digest" && before.digest === staged.pin.digest && pin.digest === staged.pin.digest
  if (isSame) return undefined
  const known = existsSync(folder) ? powersOf(await contentsOf(readPlugin(folder))) : []
  return {
    added: [...staged.files.keys()].filter((path) => !files.has(path)),
    removed: [...files.keys()].filter((path) => !staged.files.has(path)),
    changed: [...staged.files]
      .filter(([path, hash]) => files.has(path) && files.get(path) !== hash)
      .map(([path]) => path),
    gained: powersOf(staged.contents).filter((power) => !known.includes(power)),
  }
}

function powersOf({ mcpServers, extension, hooks }: PluginContents): readonly string[] {
  return [
    ...mcpServers.map((server) => `MCP server ${server}`),
    ...hooks.map((hook) => `hook ${hook}`),
    ...(extension === null
      ? []
      : [
          `extension ${extension.command}`,
          ...extension.permissions.map((permission) => `permission ${permission}`),
          ...extension.hooks.map((hook) => `extension hook ${hook}`),
          ...(extension.sandbox === null ? [] : [`extension ${extension.sandbox}`]),
        ]),
  ]
}
