// The extensions of open sessions as a table for a person, one line for each extension and session.
import type { BroughtListing } from "../../models/listing.ts"
import { table } from "../table.ts"
import { oneLine } from "../../contract/printable.ts"
import type { HostReport, RunningExtension } from "../../app/extensions/running.ts"

const header = ["RUNNING", "SESSION", "OPEN IN", "STATE", "RESTARTS", "CALLS", "MEDIAN", "WORST", "LAST ERROR"]

/** Nothing where nothing runs. */
export function runningText(reports: readonly HostReport[]): string {
  const rows = reports.flatMap(({ host, extensions = [] }) =>
    extensions.map((extension) => cellsOf(extension, `${host.role} ${host.pid}`)),
  )
  return rows.length === 0 ? "" : table(header, rows)
}

/** The models that they bring, each once. */
export function modelsText(reports: readonly HostReport[]): string {
  const rows = new Map(broughtIn(reports).map((model) => [model.name, modelCells(model)]))
  return rows.size === 0 ? "" : table(["MODEL", "NAME", "CONTEXT"], [...rows.values()])
}

export function broughtIn(reports: readonly HostReport[]): readonly BroughtListing[] {
  return reports.flatMap(({ extensions = [] }) => extensions.flatMap(({ models = [] }) => models))
}

function modelCells({ name, displayName, contextWindow }: BroughtListing): readonly string[] {
  return [oneLine(name, Infinity), oneLine(displayName, 80), contextWindow?.toLocaleString("en-US") ?? "?"]
}

function cellsOf(extension: RunningExtension, host: string): readonly string[] {
  const { id, sessionId, health, isOutdated, restarts, times, lastFault } = extension
  const cells = [
    id,
    sessionId.slice(0, 13),
    host,
    isOutdated ? `${health}, files changed` : health,
    String(restarts),
    String(times.calls),
    times.calls === 0 ? "-" : `${times.medianMs} ms`,
    times.calls === 0 ? "-" : `${times.longestMs} ms`,
  ]
  return [...cells.map((cell) => oneLine(cell, Infinity)), oneLine(lastFault ?? "-", 80)]
}
