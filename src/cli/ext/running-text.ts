// The extensions of open sessions as a table.
import type { ExtensionModelListing } from "../../models/listing.ts"
import { table, type Columns } from "../output.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { HostReport } from "../../app/extensions/running.ts"
import type { ExtensionReport } from "../../contract/views/host.ts"

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

const modelColumns: Columns<ExtensionModelListing> = {
  MODEL: ({ name }) => oneLine(name, Infinity),
  NAME: ({ displayName }) => oneLine(displayName, 80),
  CONTEXT: ({ contextWindow }) => contextWindow?.toLocaleString("en-US") ?? "?",
}

/** Empty if none runs. */
export function runningText(reports: readonly HostReport[]): string {
  const running = reports.flatMap(({ host, extensions = [] }) =>
    extensions.map((extension) => ({ ...extension, host: `${host.role} ${host.pid}` })),
  )
  return running.length === 0 ? "" : table(running, runningColumns)
}

/** Their models, each once. */
export function modelsText(reports: readonly HostReport[]): string {
  const models = new Map(broughtIn(reports).map((model) => [model.name, model]))
  return models.size === 0 ? "" : table([...models.values()], modelColumns)
}

export function broughtIn(reports: readonly HostReport[]): readonly ExtensionModelListing[] {
  return reports.flatMap(({ extensions = [] }) => extensions.flatMap(({ models }) => models))
}
