// The extensions that a session in a folder would load, and the state of those of open sessions. Starts no extension and
// no host, and creates no log.
import type { ClusterPlace } from "../cluster/cluster.ts"
import { dirname } from "node:path"
import type { ExtensionReport } from "../../contract/views/host.ts"
import type { PluginCommand } from "../../hooks/commands/plugin-command.ts"
import { discover, type Discovered, type ExtensionSpec, type LoadFailure } from "../../hooks/discovery/discover.ts"
import { extensionRoots } from "../../hooks/discovery/extension-roots.ts"
import type { LiveHost } from "../../log/event-log.ts"
import type { ExtensionModelListing } from "../../models/listing.ts"
import type { AppContext } from "../context.ts"
import { askEveryHost } from "../host/ask-every-host.ts"
import { refusedPlugins } from "../plugins/session-plugins.ts"
import { disabledPlugins } from "./disabled-plugins.ts"
import { discoveryIn, missingFolders } from "./discovery.ts"

export interface ListedExtension {
  readonly id: string
  /** The plugin root, and its own folder. */
  readonly root: string
  readonly folder: string
  /** False for a project's extension while its folder is not trusted: it is not loaded. */
  readonly trusted: boolean
  readonly guard: boolean
  readonly shared: boolean
  readonly permissions: readonly string[]
  readonly hooks: ExtensionSpec["subscriptions"]
}

export interface ListedCommand {
  readonly name: string
  readonly extension: string
  readonly description: string
  readonly usage: string | null
  readonly does: PluginCommand["action"]["kind"]
  readonly trusted: boolean
}

export interface FolderExtensions {
  readonly extensions: readonly ListedExtension[]
  readonly commands: readonly ListedCommand[]
  readonly failures: readonly LoadFailure[]
  readonly warnings: readonly string[]
}

/** Extensions of the project are listed even if they would not be loaded. */
export async function listExtensions(context: AppContext): Promise<FolderExtensions> {
  const { home, cwd, config, trusted } = context
  const request = { env: process.env, home, cwd, paths: config.extensions?.paths ?? [] }
  const roots = extensionRoots({ ...request, trusted })
  const others = extensionRoots({ ...request, trusted: true }).slice(roots.length)
  const refused = await refusedPlugins(home)
  const loaded = discover(discoveryIn(roots, context, new Set(refused.keys())))
  const untrusted = discover(discoveryIn(others, context))
  return {
    extensions: [
      ...loaded.extensions.map((spec) => listed(spec, true, context)),
      ...untrusted.extensions.map((spec) => listed(spec, false, context)),
    ],
    commands: [
      ...loaded.commands.map((command) => ({ ...commandFacts(command), trusted: true })),
      ...untrusted.commands.map((command) => ({ ...commandFacts(command), trusted: false })),
    ],
    failures: [...loaded.failures, ...missingGuards(loaded, context)],
    warnings: [
      ...missingFolders(config),
      ...refused.values(),
      ...[loaded, untrusted]
        .flatMap(({ commandFaults, unknown }) => [...commandFaults, ...unknown])
        .map(({ id, reason }) => `plugin ${id}: ${reason}`),
    ],
  }
}

export function commandFacts({
  name,
  plugin,
  description,
  usage,
  action: does,
}: PluginCommand): Omit<ListedCommand, "trusted"> {
  return { name, extension: plugin, description, usage: usage ?? null, does: does.kind }
}

function listed(spec: ExtensionSpec, trusted: boolean, { config }: AppContext): ListedExtension {
  const { id, folder, permissions, subscriptions: hooks } = spec
  const { failClosed = [], shared = [] } = config.extensions ?? {}
  return {
    id,
    root: dirname(folder),
    folder,
    trusted,
    guard: trusted && failClosed.includes(id), // a project's extension cannot replace a guard
    shared: shared.includes(id),
    permissions: [...permissions],
    hooks,
  }
}

function missingGuards({ extensions, failures }: Discovered, { config }: AppContext): readonly LoadFailure[] {
  const { failClosed = [] } = config.extensions ?? {}
  const known = new Set([...extensions, ...failures].map(({ id }) => id))
  return failClosed
    .filter((id) => !known.has(id))
    .map((id) => ({
      id,
      manifest: undefined,
      reason: `it is listed in extensions.failClosed, but ${disabledPlugins(config).includes(id) ? "it is disabled" : "there is no extension of that name"}: every call is blocked`,
      hint: "install or enable it, or remove it from extensions.failClosed",
    }))
}

export interface HostReport {
  readonly host: LiveHost
  /** Absent if the host did not answer. */
  readonly extensions: readonly ExtensionReport[] | undefined
}

export async function askHosts(place: ClusterPlace): Promise<readonly HostReport[]> {
  const answers = await askEveryHost(place, "ext", (port) => port.query({ type: "extensions" }))
  return answers.map(({ host, value }) => ({ host, extensions: value }))
}

/** Models of the extensions of open sessions. */
export function modelsOf(reports: readonly HostReport[]): readonly ExtensionModelListing[] {
  return reports.flatMap(({ extensions = [] }) => extensions.flatMap(({ models }) => models))
}
