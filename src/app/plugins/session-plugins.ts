// The plugins of a session besides their extensions: of the user, and of its folder while it is trusted. Reads manifests when
// the session is opened; whether a plugin may still be used is checked whenever its files are.
import { existsSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import type { Environment } from "../../config/home.ts"
import type { FilePlace } from "../../config/plugin-place.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import { extensionRoots, synapsFolder } from "../../hooks/discovery/extension-roots.ts"
import type { ComponentFolder, PluginLayout } from "../../plugins/layout.ts"

export interface PluginsRequest {
  readonly home: string
  readonly env: Environment
  readonly config: Config
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  /** The folder whose settings count; undefined where visitors talk to the session. */
  readonly settingsFolder: string | undefined
  readonly trusted: boolean
}

export interface SessionPlugin extends PluginLayout {
  /** Installed by the user. */
  readonly isOwn: boolean
  /** Whether it may be used now. */
  readonly isOpen: () => Promise<boolean>
}

export interface SessionPlugins {
  /** By id. */
  readonly plugins: readonly SessionPlugin[]
  /** Plugins, and parts of them, that are not used. */
  readonly warnings: readonly string[]
}

export const noPlugins: SessionPlugins = { plugins: [], warnings: [] }

export async function sessionPlugins(request: PluginsRequest): Promise<SessionPlugins> {
  const roots = pluginRoots(request)
  return roots.some((root) => existsSync(root)) ? findPlugins(roots, request) : noPlugins
}

/** Visitors get those of the user alone. */
function pluginRoots({ home, env, config, ownPlaces, settingsFolder, trusted }: PluginsRequest): readonly string[] {
  const paths = config.extensions?.paths ?? []
  if (settingsFolder !== undefined) return extensionRoots({ env, home, cwd: settingsFolder, trusted, paths })
  const ownPaths = paths.filter((path) => isIn(path, ownPlaces))
  return extensionRoots({ env, home, cwd: home, trusted: false, paths: ownPaths })
}

async function findPlugins(roots: readonly string[], request: PluginsRequest): Promise<SessionPlugins> {
  const { home, config, settingsFolder } = request
  const [{ disabledPlugins }, { pluginFolders }, { readPlugin }] = await Promise.all([
    import("../extensions/disabled-plugins.ts"),
    import("../../hooks/discovery/plugin-folders.ts"),
    import("../../plugins/layout.ts"),
  ])
  const disabled = disabledPlugins(config)
  const refused = await refusedPlugins(home)
  const guards = config.extensions?.failClosed ?? []
  const { plugins } = pluginFolders({ roots, disabled, guards, refused: new Set(refused.keys()) })
  const own = ownRoots(request)
  const found = [...plugins].map(([id, folder]): SessionPlugin => {
    const isOwn = isIn(folder, own)
    const isOpen = async () =>
      isOwn
        ? (await pinRefusal(home, folder)) === undefined
        : settingsFolder !== undefined && isTrusted(home, settingsFolder)
    return { ...readPlugin(folder, id), isOwn, isOpen }
  })
  // The search for extensions reports a broken manifest of synaps.
  const problems = found.flatMap(({ id, problems: parts, manifestProblems: { claude = [] } }) =>
    [claude, parts].flat().map((problem) => `plugin ${id}: ${problem}`),
  )
  const isKnown = (folder: string) => roots.includes(dirname(folder))
  const changed = [...refused].filter(([folder]) => isKnown(folder)).map(([, reason]) => reason)
  return {
    plugins: found.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    warnings: [...new Set([...changed, ...problems])],
  }
}

function ownRoots({ home, env, ownPlaces }: PluginsRequest): readonly string[] {
  return [join(synapsFolder(env), "plugins"), join(home, "plugins"), ...ownPlaces]
}

function isIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder + sep))
}

/** Folders in the home whose files differ from what was installed, each with the reason. */
export async function refusedPlugins(home: string): Promise<ReadonlyMap<string, string>> {
  if (!existsSync(join(home, "plugins.json"))) return new Map()
  const { pinProblem, pluginsFolder, readPins } = await import("../../plugins/pins.ts")
  const { pins, problem } = readPins(home)
  const ids = problem === undefined ? [...pins.keys()] : await namesIn(pluginsFolder(home))
  const refused = new Map<string, string>()
  for (const id of ids) {
    const reason = await pinProblem(home, id)
    if (reason !== undefined) refused.set(join(pluginsFolder(home), id), reason)
  }
  return refused
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const { pathsIn } = await import("../../config/folder-files.ts")
  return pathsIn(folder)
}

/** Why the plugin in this folder must not be used now. */
export async function pinRefusal(home: string, folder: string): Promise<string | undefined> {
  if (dirname(folder) !== join(home, "plugins") || !existsSync(join(home, "plugins.json"))) return undefined
  const { pinProblem } = await import("../../plugins/pins.ts")
  return pinProblem(home, folder.slice(dirname(folder).length + 1))
}

export type PluginPlace = FilePlace & { readonly source: string; readonly isOwn: false }

/** Folders of skills, commands or agents. */
export function placesOf(
  { plugins }: SessionPlugins,
  part: (plugin: PluginLayout) => readonly ComponentFolder[],
): readonly PluginPlace[] {
  return plugins.flatMap((plugin) => {
    const { id, folder, isOpen } = plugin
    const place = { source: `plugin ${id}`, plugin: { id, folder }, isOpen, isOwn: false as const }
    return part(plugin).map((component) => ({ ...place, ...component }))
  })
}
