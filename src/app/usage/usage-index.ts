// What the sessions of a home took and cost, by hour, session, model and tool: the source of the usage history, so that no
// log is read twice.
import { join } from "node:path"
import type { SQLOutputValue } from "node:sqlite"
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { Measuring, type ModelMeasure, type OpenMeasure, type ToolMeasure } from "../../projection/measures.ts"
import { modelCallsIn } from "../../projection/usage.ts"
import { forgetIn, SessionIndex } from "../search/session-index.ts"
import { addDuration, addDurations, type Durations, readDurations, storedDurations } from "./durations.ts"

export const HOUR_MS = 3_600_000

export interface ModelHour {
  readonly sessionId: string
  readonly hour: number
  /** Empty where the session's model was called, such as for a summary. */
  readonly name: string
  modelCalls: number
  input: number
  output: number
  cacheRead: number
  usd: number
  unpricedCalls: number
  /** Of its answers. */
  readonly times: Durations
}

export interface ToolHour {
  readonly sessionId: string
  readonly hour: number
  readonly name: string
  calls: number
  failed: number
  ms: number
  readonly times: Durations
}

export class UsageIndex extends SessionIndex {
  constructor(home: string) {
    super(fileIn(home), schema)
  }

  models(fromHour: number): readonly ModelHour[] {
    return this.db.prepare("SELECT * FROM models WHERE hour >= ?").all(fromHour).map(modelHour)
  }

  tools(fromHour: number): readonly ToolHour[] {
    return this.db.prepare("SELECT * FROM tools WHERE hour >= ?").all(fromHour).map(toolHour)
  }

  protected override store(sessionId: SessionId, events: readonly Recorded[]): void {
    const measuring = new Measuring(this.#open(sessionId))
    const models = new Map<string, ModelHour>()
    const tools = new Map<string, ToolHour>()
    for (const recorded of events) {
      const measure = measuring.take(recorded)
      const hour = Math.floor(recorded.at / HOUR_MS)
      for (const { model = "", spent } of modelCallsIn(recorded.event)) {
        const sum = kept(models, `${hour} ${model}`, () => newModelHour(sessionId, hour, model))
        for (const key of summed) sum[key] += spent[key]
      }
      if (measure !== undefined) addTime(measure, { sessionId, hour }, models, tools)
    }
    for (const sum of models.values()) this.#addModel(sum)
    for (const sum of tools.values()) this.#addTool(sum)
    this.#keepOpen(sessionId, measuring.open)
  }

  protected override remove(sessionId: string): void {
    for (const table of ["models", "tools", "open"])
      this.db.prepare(`DELETE FROM ${table} WHERE sessionId = ?`).run(sessionId)
  }

  #addModel(more: ModelHour): void {
    const { sessionId, hour, name, times } = more
    const found = this.db
      .prepare("SELECT * FROM models WHERE sessionId = ? AND hour = ? AND name = ?")
      .get(sessionId, hour, name)
    const sum = found === undefined ? newModelHour(sessionId, hour, name) : modelHour(found)
    for (const key of summed) sum[key] += more[key]
    addDurations(sum.times, times)
    this.db
      .prepare("INSERT OR REPLACE INTO models VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(sessionId, hour, name, ...summed.map((key) => sum[key]), storedDurations(sum.times))
  }

  #addTool(more: ToolHour): void {
    const { sessionId, hour, name, times } = more
    const found = this.db
      .prepare("SELECT * FROM tools WHERE sessionId = ? AND hour = ? AND name = ?")
      .get(sessionId, hour, name)
    const sum = found === undefined ? newToolHour(sessionId, hour, name) : toolHour(found)
    addDurations(sum.times, times)
    this.db
      .prepare("INSERT OR REPLACE INTO tools VALUES (?, ?, ?, ?, ?, ?, ?)")
      .run(
        sessionId,
        hour,
        name,
        sum.calls + more.calls,
        sum.failed + more.failed,
        sum.ms + more.ms,
        storedDurations(sum.times),
      )
  }

  #open(sessionId: string): readonly OpenMeasure[] {
    return this.db.prepare("SELECT id, tool, at FROM open WHERE sessionId = ?").all(sessionId).map(openMeasure)
  }

  #keepOpen(sessionId: string, open: readonly OpenMeasure[]): void {
    this.db.prepare("DELETE FROM open WHERE sessionId = ?").run(sessionId)
    const insert = this.db.prepare("INSERT INTO open VALUES (?, ?, ?, ?)")
    for (const { id, tool, at } of open.slice(-MAX_OPEN)) insert.run(sessionId, id, tool ?? null, at ?? null)
  }
}

/** Steps and calls of one session that are remembered until they end. */
const MAX_OPEN = 300
const summed = ["modelCalls", "input", "output", "cacheRead", "usd", "unpricedCalls"] as const

const schema = `
  CREATE TABLE IF NOT EXISTS models (
    sessionId TEXT NOT NULL, hour INTEGER NOT NULL, name TEXT NOT NULL,
    modelCalls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cacheRead INTEGER NOT NULL,
    usd REAL NOT NULL, unpricedCalls INTEGER NOT NULL, times TEXT NOT NULL,
    PRIMARY KEY (sessionId, hour, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS models_by_hour ON models (hour);
  CREATE TABLE IF NOT EXISTS tools (
    sessionId TEXT NOT NULL, hour INTEGER NOT NULL, name TEXT NOT NULL,
    calls INTEGER NOT NULL, failed INTEGER NOT NULL, ms REAL NOT NULL, times TEXT NOT NULL,
    PRIMARY KEY (sessionId, hour, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tools_by_hour ON tools (hour);
  CREATE TABLE IF NOT EXISTS open (sessionId TEXT NOT NULL, id TEXT NOT NULL, tool TEXT, at REAL) STRICT;
  CREATE INDEX IF NOT EXISTS open_by_session ON open (sessionId);
`

function addTime(
  measure: ModelMeasure | ToolMeasure,
  { sessionId, hour }: { readonly sessionId: string; readonly hour: number },
  models: Map<string, ModelHour>,
  tools: Map<string, ToolHour>,
): void {
  const ms = Math.max(0, measure.ms) // the clock of the computer may have been set back
  if (!("tool" in measure)) {
    const { model } = measure
    return addDuration(kept(models, `${hour} ${model}`, () => newModelHour(sessionId, hour, model)).times, ms)
  }
  const { tool, outcome } = measure
  const sum = kept(tools, `${hour} ${tool}`, () => newToolHour(sessionId, hour, tool))
  sum.calls += 1
  sum.failed += outcome === "failed" ? 1 : 0
  sum.ms += ms
  addDuration(sum.times, ms)
}

function kept<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key) ?? make()
  map.set(key, known)
  return known
}

function newModelHour(sessionId: string, hour: number, name: string): ModelHour {
  const none = { modelCalls: 0, input: 0, output: 0, cacheRead: 0, usd: 0, unpricedCalls: 0 }
  return { sessionId, hour, name, ...none, times: new Map() }
}

function newToolHour(sessionId: string, hour: number, name: string): ToolHour {
  return { sessionId, hour, name, calls: 0, failed: 0, ms: 0, times: new Map() }
}

type Row = Record<string, SQLOutputValue>

function modelHour(row: Row): ModelHour {
  const sum = newModelHour(String(row["sessionId"]), Number(row["hour"]), String(row["name"]))
  for (const key of summed) sum[key] = Number(row[key])
  addDurations(sum.times, readDurations(String(row["times"])))
  return sum
}

function toolHour(row: Row): ToolHour {
  const sum = newToolHour(String(row["sessionId"]), Number(row["hour"]), String(row["name"]))
  for (const key of ["calls", "failed", "ms"] as const) sum[key] = Number(row[key])
  addDurations(sum.times, readDurations(String(row["times"])))
  return sum
}

function openMeasure({ id, tool, at }: Row): OpenMeasure {
  return {
    id: String(id),
    tool: typeof tool === "string" ? tool : undefined,
    at: typeof at === "number" ? at : undefined,
  }
}

function fileIn(home: string): string {
  return join(home, "usage.db")
}

export function forgetInUsage(home: string, sessionId: SessionId): void {
  forgetIn(fileIn(home), sessionId, () => new UsageIndex(home))
}
