// Adds up the hours of the usage index by day, model, agent and tool. Pure.
import type { ToolSeries, UsageHistory, UsageSeries } from "../../contract/views/usage-history.ts"
import type { SessionStatus } from "../../contract/views/status.ts"
import { addDurations, type Durations, medianMs } from "./durations.ts"
import { HOUR_MS, type ModelHour, type ToolHour } from "./usage-index.ts"

/** Series of each kind; the rest are one. */
const MAX_SERIES = 12

export interface UsageSource {
  readonly models: readonly ModelHour[]
  readonly tools: readonly ToolHour[]
  /** The sessions that count. */
  readonly sessions: ReadonlyMap<string, SessionStatus>
  readonly calendar: Calendar
}

export function usageHistory({ models, tools, sessions, calendar }: UsageSource): Omit<UsageHistory, "behind"> {
  const placed = placeIn(models, sessions, calendar)
  const placedTools = placeIn(tools, sessions, calendar)
  const [all = emptySeries] = seriesIn(placed, () => "all", modelUse, costOf)
  return {
    zone: calendar.zone,
    days: calendar.days,
    sessions: new Set(placed.map(({ row }) => row.sessionId)).size,
    all,
    models: seriesIn(placed, ({ row, status }) => row.name || status.model, modelUse, costOf),
    agents: seriesIn(placed, ({ status }) => agentOf(status), modelUse, costOf),
    tools: seriesIn(placedTools, ({ row }) => row.name, toolUse, timeOf),
    agentTools: seriesIn(placedTools, ({ status }) => agentOf(status), toolUse, timeOf),
  }
}

interface Placed<Row> {
  readonly row: Row
  readonly day: number
  readonly status: SessionStatus
}

/** Those of these days and sessions. */
function placeIn<Row extends { readonly sessionId: string; readonly hour: number }>(
  rows: readonly Row[],
  sessions: ReadonlyMap<string, SessionStatus>,
  calendar: Calendar,
): readonly Placed<Row>[] {
  return rows.flatMap((row) => {
    const status = sessions.get(row.sessionId)
    const day = calendar.dayOf(row.hour)
    return status === undefined || day === undefined ? [] : [{ row, day, status }]
  })
}

function agentOf({ agentId, depth }: SessionStatus): string {
  if (depth === 0) return agentId ?? "sessions"
  return agentId === undefined ? "subagents" : `subagents of ${agentId}`
}

/** The largest first. */
function seriesIn<Row, Use>(
  placed: readonly Placed<Row>[],
  nameOf: (one: Placed<Row>) => string,
  merge: (rows: readonly Row[]) => Use,
  weight: (use: Use) => number,
): readonly (Use & { name: string; days: readonly (Use & { day: number })[] })[] {
  const groups = [...Map.groupBy(placed, nameOf)]
    .map(([name, members]) => ({ name, members, weight: weight(merge(members.map(({ row }) => row))) }))
    .toSorted((one, other) => other.weight - one.weight || (one.name < other.name ? -1 : 1))
  const others = groups.slice(MAX_SERIES - 1).flatMap(({ members }) => members)
  const shown =
    groups.length <= MAX_SERIES ? groups : [...groups.slice(0, MAX_SERIES - 1), { name: "others", members: others }]
  return shown.map(({ name, members }) => ({
    name,
    ...merge(members.map(({ row }) => row)),
    days: [...Map.groupBy(members, ({ day }) => day)]
      .toSorted(([one], [other]) => one - other)
      .map(([day, rows]) => ({ day, ...merge(rows.map(({ row }) => row)) })),
  }))
}

type ModelUse = Omit<UsageSeries, "name" | "days">

function modelUse(rows: readonly ModelHour[]): ModelUse {
  const sum = (key: Exclude<keyof ModelUse, "medianMs">) => rows.reduce((total, row) => total + row[key], 0)
  return {
    modelCalls: sum("modelCalls"),
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    usd: sum("usd"),
    unpricedCalls: sum("unpricedCalls"),
    medianMs: medianMs(timesOf(rows)),
  }
}

/** Models without a price are ordered by their tokens, after the others. */
function costOf({ usd, input, output }: ModelUse): number {
  return usd + (input + output) / 1e12
}

const emptySeries: UsageSeries = { name: "all", ...modelUse([]), days: [] }

function toolUse(rows: readonly ToolHour[]): Omit<ToolSeries, "name" | "days"> {
  const sum = (key: "calls" | "failed" | "ms") => rows.reduce((total, row) => total + row[key], 0)
  return { calls: sum("calls"), failed: sum("failed"), ms: sum("ms"), medianMs: medianMs(timesOf(rows)) }
}

function timeOf({ ms }: Pick<ToolSeries, "ms">): number {
  return ms
}

function timesOf(rows: readonly { readonly times: Durations }[]): Durations {
  const all: Durations = new Map()
  for (const { times } of rows) addDurations(all, times)
  return all
}

/** The days of a history in a time zone. */
export class Calendar {
  readonly zone: string
  /** Oldest first. */
  readonly days: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  readonly #format: Intl.DateTimeFormat
  readonly #known = new Map<number, number | undefined>()

  /** An unknown zone is replaced by that of the computer. */
  constructor(now: number, count: number, zone: string | undefined) {
    this.#format = formatIn(zone)
    this.zone = this.#format.resolvedOptions().timeZone
    const today = Date.parse(this.#format.format(now)) // at midnight in UTC: only for counting days
    this.days = Array.from({ length: count }, (_, at) =>
      new Date(today - (count - 1 - at) * 24 * HOUR_MS).toISOString().slice(0, 10),
    )
    this.#places = new Map(this.days.map((day, at) => [day, at]))
  }

  /** Undefined for an hour of another day. */
  dayOf(hour: number): number | undefined {
    if (!this.#known.has(hour)) this.#known.set(hour, this.#places.get(this.#format.format(hour * HOUR_MS)))
    return this.#known.get(hour)
  }
}

function formatIn(timeZone: string | undefined): Intl.DateTimeFormat {
  const options = { year: "numeric", month: "2-digit", day: "2-digit" } as const
  try {
    return new Intl.DateTimeFormat("en-CA", { ...options, ...(timeZone === undefined ? {} : { timeZone }) })
  } catch {
    return new Intl.DateTimeFormat("en-CA", options) // no zone of this name
  }
}
