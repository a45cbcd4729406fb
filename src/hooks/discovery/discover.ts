// Finds extensions in their folders and prepares them without starting them. An extension's id is the name of its
// folder. An invalid extension is reported and does not affect the others.
import { messageOf } from "../../contract/faults.ts"
import { existsSync, realpathSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import type { JsonValue } from "../../contract/values.ts"
import type { ExtensionManifest, SandboxNeeds } from "../../protocols/extension/frames.ts"
import { compareBytes } from "../../protocols/extension/sorted-json.ts"
import { readCommands } from "./command-manifest.ts"
import {
  environmentOf,
  interpreterArguments,
  resolveArgument,
  resolveCommand,
  type CommandLine,
  type EnvironmentSources,
} from "../process/command-line.ts"
import { checkManifest, readManifest, sandboxNeeds, type Subscription } from "./manifest.ts"
import { readSettings, resolveConfig, type ConfigSources } from "./resolve-config.ts"
import { readPlainFile } from "./plain-file.ts"
import { pluginFolders, type FoldersRequest, type PluginFolders } from "./plugin-folders.ts"
import type { PluginCommand } from "../commands/plugin-command.ts"

/** An extension that can be started. */
export interface ExtensionSpec {
  readonly id: string
  readonly folder: string
  readonly commandLine: CommandLine
  readonly version: number
  readonly permissions: ReadonlySet<string>
  readonly subscriptions: readonly Subscription[]
  readonly config: { readonly [key: string]: JsonValue }
  /** The plugin's setup script, for the hint when its program is missing. */
  readonly setup: string | undefined
  readonly needs: SandboxNeeds | undefined
  /** Hooks and permissions in its manifest that this host does not know. */
  readonly unknown: readonly string[]
}

export interface LoadFailure {
  readonly id: string
  readonly manifest: string | undefined
  readonly reason: string
  readonly hint: string
}

export interface Discovered {
  /** Sorted by id (bytes): the order in which their handlers are called. */
  readonly extensions: readonly ExtensionSpec[]
  readonly failures: readonly LoadFailure[]
  /** Of all plugins, including those without an extension. */
  readonly commands: readonly PluginCommand[]
  /** Invalid commands. */
  readonly commandFaults: readonly PluginFault[]
  /** Hooks and permissions in manifests that this host does not know. */
  readonly unknown: readonly PluginFault[]
}

export interface PluginFault {
  readonly id: string
  readonly reason: string
}

export interface DiscoveryRequest extends EnvironmentSources, FoldersRequest {
  /** Folders with `ID/config`, and the file shared by all extensions. */
  readonly configFolders: readonly string[]
  readonly commonConfig: string
}

export const manifestPath = join(".synaps-plugin", "plugin.json")

export function discover(request: DiscoveryRequest): Discovered {
  const { plugins, unlisted } = pluginFolders(request)
  const withManifest = [...plugins].filter(([, folder]) => existsSync(join(folder, manifestPath)))
  const sorted = withManifest.toSorted(([a], [b]) => compareBytes(a, b))
  const found = sorted.flatMap(([id, folder]) => prepare(id, folder, request) ?? [])
  const extensions = found.filter((one) => "commandLine" in one)
  const commands = sorted.map(([id, folder]) => commandsOf(id, folder, request))
  return {
    extensions,
    failures: [...unlisted.map(listingFailure), ...found.filter((one) => "reason" in one)],
    commands: commands.flatMap((one) => one.commands),
    commandFaults: commands.flatMap((one) => one.faults),
    unknown: extensions.flatMap(({ id, unknown }) => unknown.map((reason) => ({ id, reason }))),
  }
}

function prepare(id: string, folder: string, request: DiscoveryRequest): ExtensionSpec | LoadFailure | undefined {
  const manifest = join(folder, manifestPath)
  const fail = (reason: string, hint: string): LoadFailure => ({ id, manifest, reason, hint })
  const read = readText(manifest)
  if (read.kind === "bad") return fail(read.reason, "make the manifest readable")
  const parsed = readManifest(read.text)
  if (parsed.kind === "none") return undefined
  if (parsed.kind === "bad") return fail(parsed.reasons[0], "correct the manifest")
  const config = resolveConfig(id, parsed.manifest.config ?? [], sourcesFor(id, request))
  if (config.kind === "bad") return fail(config.reason, "set it, or correct the manifest")
  const hasCommands = readCommands(read.text).commands.some(
    ({ action }) => action.kind === "invoke" || action.kind === "tool",
  )
  const checked = checkManifest(parsed.manifest, { isStrict: request.guards.includes(id), hasCommands })
  if (checked.kind === "bad") return fail(checked.reason, "correct the manifest")
  const { version, permissions, subscriptions, unknown } = checked
  const { setup, sandbox: needs } = parsed.manifest
  const commandLine = commandLineOf(folder, parsed.manifest, request)
  return {
    id,
    folder,
    commandLine,
    version,
    permissions: new Set(permissions),
    subscriptions,
    config: config.values,
    setup: setup ?? undefined,
    needs,
    unknown,
  }
}

function commandsOf(id: string, folder: string, sources: EnvironmentSources) {
  const read = readText(join(folder, manifestPath))
  const text = read.kind === "text" ? read.text : ""
  const { commands, problems } = readCommands(text)
  const needs = sandboxNeeds(text)
  const env = environmentOf(folder, sources)
  return {
    commands: commands.map(({ name, action, ...rest }): PluginCommand => ({
      ...rest,
      name: `${id}:${name}`,
      ownName: name,
      plugin: id,
      folder,
      action: action.kind === "program" ? { ...action, env, needs } : action,
    })),
    faults: problems.map((reason) => ({ id, reason })),
  }
}

function commandLineOf(
  folder: string,
  { command, args = [] }: ExtensionManifest,
  sources: EnvironmentSources,
): CommandLine {
  return {
    command: resolveCommand(folder, command),
    args: [...interpreterArguments(command), ...args.map((argument) => resolveArgument(folder, argument))],
    env: environmentOf(folder, sources),
  }
}

export function sourcesFor(id: string, { env, configFolders, commonConfig }: DiscoveryRequest): ConfigSources {
  const own = configFolders.map((folder) => readSettings(join(folder, id, "config")))
  return { env, own, common: readSettings(commonConfig) }
}

function readText(file: string): { kind: "text"; text: string } | { kind: "bad"; reason: string } {
  try {
    return { kind: "text", text: readPlainFile(file) }
  } catch (fault) {
    return { kind: "bad", reason: messageOf(fault) }
  }
}

function listingFailure({ root, cause }: PluginFolders["unlisted"][number]): LoadFailure {
  return { id: "plugins", manifest: undefined, reason: `${root} cannot be listed: ${cause}`, hint: "make it readable" }
}

/** Fingerprint of the manifest and of the files in the folder that the command line names. */
export function programMark({ folder, commandLine }: ExtensionSpec): string {
  const prefixes = [folder, realPathOf(folder)].map((path) => path + sep)
  const named = [commandLine.command, ...commandLine.args]
  const ownFiles = named.filter((word) => prefixes.some((prefix) => word.startsWith(prefix)))
  return [join(folder, manifestPath), ...ownFiles].map(markOf).join(" ")
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
