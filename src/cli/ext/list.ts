// `turnhouse ext ls`: the extensions that a session in this folder would load, and the state of those of open sessions.
// Starts nothing.
import { dirname } from "node:path"
import { trustOf } from "../../config/trust.ts"
import { discover, type Discovered, type ExtensionSpec, type LoadFailure } from "../../hooks/discovery/discover.ts"
import { extensionRoots } from "../../hooks/discovery/extension-roots.ts"
import type { Args } from "../command.ts"
import { contextOf, printWarnings } from "../context-options.ts"
import type { AppContext } from "../../app/context.ts"
import { exitCodes } from "../../app/app-fault.ts"
import { table, type Columns, writeJson } from "../output.ts"
import { oneLine } from "../../contract/text/text.ts"
import { printNotice } from "../../app/terminal.ts"
import { commandJson, commandsText } from "./commands-text.ts"
import { disabledPlugins, discoveryIn, missingFolders } from "../../app/extensions/discovery.ts"
import { hookLabel } from "./hook-label.ts"
import { askHosts, type HostReport } from "../../app/extensions/running.ts"
import { modelsText, runningText } from "./running-text.ts"

interface Row {
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

export async function list(args: Args): Promise<number> {
  const context = await contextOf(args)
  printWarnings(context)
  const { loaded, untrusted } = await lookAround(context)
  const failures = [...loaded.failures, ...missingGuards(loaded, context)]
  const rows = [
    ...loaded.extensions.map((spec) => rowOf(spec, true, context)),
    ...untrusted.extensions.map((spec) => rowOf(spec, false, context)),
  ]
  const reports = await askHosts(context.home)
  const commands = [
    ...loaded.commands.map((command) => ({ ...commandJson(command), trusted: true })),
    ...untrusted.commands.map((command) => ({ ...commandJson(command), trusted: false })),
  ]
  const warnings = [
    ...missingFolders(context.config),
    ...[loaded, untrusted]
      .flatMap(({ commandFaults, unknown }) => [...commandFaults, ...unknown])
      .map(({ id, reason }) => `plugin ${id}: ${reason}`),
  ]
  if (args.flag("json")) writeJson({ extensions: rows, commands, failures, warnings, hosts: reports.map(asJson) })
  else show({ rows, commands, failures, warnings }, reports)
  return failures.length === 0 ? exitCodes.done : exitCodes.failed
}

/** Extensions of the project are listed even if they would not be loaded. */
export async function lookAround(context: AppContext): Promise<{ loaded: Discovered; untrusted: Discovered }> {
  const { home, cwd, config } = context
  const trusted = (await trustOf(home, cwd)).state === "trusted"
  const request = { env: process.env, home, cwd, paths: config.extensions?.paths ?? [] }
  const roots = extensionRoots({ ...request, trusted })
  const others = extensionRoots({ ...request, trusted: true }).slice(roots.length)
  return { loaded: discover(discoveryIn(roots, context)), untrusted: discover(discoveryIn(others, context)) }
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

function rowOf({ id, folder, permissions, subscriptions }: ExtensionSpec, trusted: boolean, context: AppContext): Row {
  const { failClosed = [], shared = [] } = context.config.extensions ?? {}
  return {
    id,
    root: dirname(folder),
    folder,
    trusted,
    guard: trusted && failClosed.includes(id), // a project's extension cannot replace a guard
    shared: shared.includes(id),
    permissions: [...permissions],
    hooks: subscriptions,
  }
}

/** Null if a host did not answer. */
function asJson({ host, extensions }: HostReport) {
  return { ...host, extensions: extensions ?? null }
}

interface Shown {
  readonly rows: readonly Row[]
  readonly commands: Parameters<typeof commandsText>[0]
  readonly failures: readonly LoadFailure[]
  readonly warnings: readonly string[]
}

function show({ rows, commands, failures, warnings }: Shown, reports: readonly HostReport[]): void {
  const tables = [
    rows.length > 0 ? table(rows, shownColumns) : "",
    commandsText(commands),
    runningText(reports),
    modelsText(reports),
  ].filter((text) => text !== "")
  if (rows.length + failures.length + commands.length === 0)
    process.stdout.write("No extensions. 'turnhouse ext new DIR' creates one.\n")
  process.stdout.write(tables.join("\n"))
  for (const { host, extensions } of reports)
    if (extensions === undefined)
      printNotice(`turnhouse: host ${host.role} ${host.pid} did not report the state of its extensions`)
  for (const warning of warnings) printNotice(`turnhouse: ${oneLine(warning, Infinity)}`)
  for (const { id, reason, hint } of failures)
    printNotice(`turnhouse: ${oneLine(`extension ${id} would not be loaded: ${reason} (${hint}).`, Infinity)}`)
}

const shownColumns: Columns<Row> = {
  ID: ({ id }) => oneLine(id, Infinity),
  TRUSTED: ({ trusted }) => (trusted ? "yes" : "no"),
  GUARD: ({ guard }) => (guard ? "yes" : "no"),
  HOOKS: ({ hooks }) => oneLine(listed(hooks.map(hookLabel)), Infinity),
  PERMISSIONS: ({ permissions }) => oneLine(listed(permissions), Infinity),
  FROM: ({ root }) => oneLine(root, Infinity),
}

function listed(words: readonly string[]): string {
  return words.length === 0 ? "-" : [...new Set(words)].join(",")
}
