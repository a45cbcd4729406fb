// `turnhouse ext ls`: the extensions that a session in this folder would load, and the state of those of open sessions.
import { exitCodes } from "../../app/app-fault.ts"
import {
  askHosts,
  listExtensions,
  modelsOf,
  type FolderExtensions,
  type HostReport,
  type ListedCommand,
  type ListedExtension,
} from "../../app/extensions/list.ts"
import { printNotice } from "../../app/terminal.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { ExtensionReport } from "../../contract/views/host.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { table, writeJson, type Columns } from "../output.ts"
import { commandActions, hookLabel } from "./check-text.ts"

export async function list(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const found = await listExtensions(context)
  const reports = await askHosts(context)
  if (args.flag("json")) writeJson({ ...found, hosts: reports.map(asJson) })
  else show(found, reports)
  return found.failures.length === 0 ? exitCodes.done : exitCodes.failed
}

/** Null if a host did not answer. */
function asJson({ host, extensions }: HostReport) {
  return { ...host, extensions: extensions ?? null }
}

function show(found: FolderExtensions, reports: readonly HostReport[]): void {
  const { extensions, commands, failures, warnings } = found
  const tables = [
    tableOf(extensions, extensionColumns),
    tableOf(commands, commandColumns),
    runningText(reports),
    modelsText(reports),
  ].filter((text) => text !== "")
  if (extensions.length + failures.length + commands.length === 0)
    process.stdout.write("No extensions. 'turnhouse ext new DIR' creates one.\n")
  process.stdout.write(tables.join("\n"))
  for (const report of reports)
    if (report.extensions === undefined)
      printNotice(`turnhouse: host ${report.host.role} ${report.host.pid} did not report the state of its extensions`)
  for (const warning of warnings) printNotice(`turnhouse: ${oneLine(warning, Infinity)}`)
  for (const { id, reason, hint } of failures)
    printNotice(`turnhouse: ${oneLine(`extension ${id} would not be loaded: ${reason} (${hint}).`, Infinity)}`)
}

const extensionColumns: Columns<ListedExtension> = {
  ID: ({ id }) => oneLine(id, Infinity),
  TRUSTED: ({ trusted }) => (trusted ? "yes" : "no"),
  GUARD: ({ guard }) => (guard ? "yes" : "no"),
  HOOKS: ({ hooks }) => oneLine(listed(hooks.map(hookLabel)), Infinity),
  PERMISSIONS: ({ permissions }) => oneLine(listed(permissions), Infinity),
  FROM: ({ root }) => oneLine(root, Infinity),
}

const commandColumns: Columns<ListedCommand> = {
  COMMAND: ({ name }) => `/${name}`,
  TRUSTED: ({ trusted }) => (trusted ? "yes" : "no"),
  DOES: ({ does }) => commandActions[does],
  DESCRIPTION: ({ description }) => oneLine(description, 80),
}

interface Running extends ExtensionReport {
  readonly host: string
}

const runningColumns: Columns<Running> = {
  RUNNING: ({ id }) => oneLine(id, Infinity),
  SESSION: ({ sessionId }) => oneLine(sessionId.slice(0, 13), Infinity),
  "OPEN IN": ({ host }) => oneLine(host, Infinity),
  STATE: ({ isOutdated, health }) => oneLine(isOutdated ? `${health}, files changed` : health, Infinity),
  RESTARTS: ({ restarts }) => String(restarts),
  CALLS: ({ times }) => String(times.calls),
  MEDIAN: ({ times }) => (times.calls === 0 ? "-" : `${times.medianMs} ms`),
  WORST: ({ times }) => (times.calls === 0 ? "-" : `${times.longestMs} ms`),
  "LAST ERROR": ({ lastFault }) => oneLine(lastFault ?? "-", 80),
}

const modelColumns: Columns<ReturnType<typeof modelsOf>[number]> = {
  MODEL: ({ name }) => oneLine(name, Infinity),
  NAME: ({ displayName }) => oneLine(displayName, 80),
  CONTEXT: ({ contextWindow }) => contextWindow?.toLocaleString("en-US") ?? "?",
}

export function runningText(reports: readonly HostReport[]): string {
  const running = reports.flatMap(({ host, extensions = [] }) =>
    extensions.map((extension) => ({ ...extension, host: `${host.role} ${host.pid}` })),
  )
  return tableOf(running, runningColumns)
}

/** Each model once. */
export function modelsText(reports: readonly HostReport[]): string {
  const models = new Map(modelsOf(reports).map((model) => [model.name, model]))
  return tableOf([...models.values()], modelColumns)
}

/** Empty without items. */
function tableOf<Item>(items: readonly Item[], columns: Columns<Item>): string {
  return items.length === 0 ? "" : table(items, columns)
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "-" : [...new Set(names)].join(",")
}
