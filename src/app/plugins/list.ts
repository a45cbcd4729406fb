// The plugins that a session in a folder would use, and those that it would not, each with the reason. Starts nothing.
import { basename, dirname } from "node:path"
import { pluginFolders } from "../../hooks/discovery/plugin-folders.ts"
import { extensionRoots } from "../../hooks/discovery/extension-roots.ts"
import type { PluginContents } from "../../plugins/contents.ts"
import { readPlugin } from "../../plugins/layout.ts"
import { pluginsFolder, readPins, type Pin } from "../../plugins/pins.ts"
import type { AppContext } from "../context.ts"
import { disabledPlugins } from "../extensions/disabled-plugins.ts"
import { pluginContents } from "./plugin-contents.ts"
import { refusedPlugins } from "./session-plugins.ts"

export interface ListedPlugin extends PluginContents {
  readonly name: string
  readonly version: string | null
  readonly description: string | null
  /** `missing`: its folder is gone. */
  readonly state: "used" | "changed" | "disabled" | "untrusted" | "missing"
  readonly folder: string | null
  /** Null for a plugin that was put there by hand. */
  readonly source: string | null
  readonly commit: string | null
  readonly digest: string | null
}

export interface PluginList {
  readonly plugins: readonly ListedPlugin[]
  readonly warnings: readonly string[]
}

export async function listPlugins(context: AppContext): Promise<PluginList> {
  const { home, cwd, config, trusted } = context
  const roots = extensionRoots({ env: process.env, home, cwd, trusted: true, paths: config.extensions?.paths ?? [] })
  const used = new Set(extensionRoots({ env: process.env, home, cwd, trusted, paths: config.extensions?.paths ?? [] }))
  const { pins } = readPins(home)
  const refused = await refusedPlugins(home)
  const disabled = new Set(disabledPlugins(config))
  const folders = roots.flatMap((root) => [
    ...pluginFolders({ roots: [root], disabled: [], guards: [] }).plugins.values(),
  ])
  const stateOf = (folder: string): ListedPlugin["state"] => {
    if (refused.has(folder)) return "changed"
    if (disabled.has(basename(folder))) return "disabled"
    return used.has(folder) || used.has(dirname(folder)) ? "used" : "untrusted"
  }
  const listed = await Promise.all(
    folders.map((folder) => listedPlugin(folder, stateOf(folder), pinAt(folder, home, pins))),
  )
  const names = new Set(
    folders.filter((folder) => dirname(folder) === pluginsFolder(home)).map((path) => basename(path)),
  )
  const missing = [...pins].filter(([name]) => !names.has(name)).map(([name, pin]) => missingPlugin(name, pin))
  return { plugins: [...listed, ...missing].toSorted(byName), warnings: [...new Set(refused.values())] }
}

function pinAt(folder: string, home: string, pins: ReadonlyMap<string, Pin>): Pin | undefined {
  return dirname(folder) === pluginsFolder(home) ? pins.get(basename(folder)) : undefined
}

async function listedPlugin(folder: string, state: ListedPlugin["state"], pin: Pin | undefined): Promise<ListedPlugin> {
  const layout = readPlugin(folder)
  const { version = null, description = null, id: name } = layout
  return { name, version, description, state, folder, ...origin(pin), ...(await pluginContents(layout)) }
}

const nothing: PluginContents = {
  skills: [],
  commands: [],
  agents: [],
  mcpServers: [],
  extension: null,
  hooks: [],
  problems: [],
}

function missingPlugin(name: string, pin: Pin): ListedPlugin {
  return { name, version: null, description: null, state: "missing", folder: null, ...origin(pin), ...nothing }
}

function origin(pin: Pin | undefined): Pick<ListedPlugin, "source" | "commit" | "digest"> {
  return { source: pin?.source ?? null, commit: pin?.commit ?? null, digest: pin?.digest ?? null }
}

function byName(one: ListedPlugin, other: ListedPlugin): number {
  return one.name < other.name ? -1 : 1
}
