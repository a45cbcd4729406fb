// The report of `turnhouse prove simulation`: crashes by event and point, and the other faults.
import { notSimulated, simulatedEvents } from "../../app/prove/simulation/event-types.ts"
import { proveSimulation, type Point, type SimulationResult } from "../../app/prove/simulation/prove-simulation.ts"
import type { ProofOptions } from "../../app/prove/run-proof.ts"
import { table, type Columns } from "../output.ts"
import type { Report } from "./report.ts"

/** Columns of the table of events. */
const eventPoints = {
  unwritten: "everything dies when the event is at the writer and not on the disk",
  stored: "the host, or everything, dies when the event is on the disk and the host does not know it",
  shown: "the host, or everything, dies when the event is handed to a client and nothing that it allows has started",
  frozen: "the host is suspended with the event stored, until another one has its sessions",
  intent: "the host, or everything, dies when a call is started and had no effect",
  effect: "the host, or everything, dies when a call had its effect and has no result",
  compaction: "the host, or everything, dies while the context is compacted",
} as const satisfies Partial<Record<Point, string>>

/** Points that are about one event only. */
const ownEvent: Partial<Record<EventPoint, string>> = {
  intent: "tool.started",
  effect: "tool.started",
  compaction: "compaction.started",
}

const otherPoints = {
  claim: "the host dies as it takes a session over",
  release: "the host dies as it gives a session up",
  renew: "the host dies as it renews its lease",
  snapshot: "the host dies as it stores a snapshot",
  checkpoint: "the host dies as it stores text of an answer that is being written",
  host: "the host dies, at a random instant",
  power: "everything dies, at a random instant",
  writer: "the log writer dies, at a random instant",
  freeze: "the host is suspended for longer than its lease, at a random instant",
  leave: "the host hands its sessions over and exits",
  clock: "the clock of a host jumps by up to 20 seconds",
  full: "the disk is full for a while",
} as const satisfies Partial<Record<Point, string>>

type EventPoint = keyof typeof eventPoints
type OtherPoint = keyof typeof otherPoints

const columnNames = ["unwritten", "stored", "shown", "frozen", "intent", "effect", "compaction"] as const
const otherNames = [
  "claim",
  "release",
  "renew",
  "snapshot",
  "checkpoint",
  "host",
  "power",
  "writer",
  "freeze",
  "leave",
  "clock",
  "full",
] as const
const NAME_WIDTH = 11

interface EventRow {
  readonly event: string
  readonly counts: Readonly<Partial<Record<Point, number>>>
}

export async function prove(options: ProofOptions): Promise<Report> {
  return simulationReport(await proveSimulation(options))
}

function simulationReport(result: SimulationResult): Report {
  const { sessions, cuts, answers, crashes, handOvers, fenced, unknown, events, hash, threads, faults } = result
  const { violations, seed, seconds, kept, failedSeed } = result
  const counted = new Map(faults.rows.map(({ names: [event = ""], counts }) => [event, counts]))
  const rows = simulatedEvents.map((event): EventRow => ({ event, counts: countsOf(event, counted) }))
  const others = otherNames.map((point) => ({ point, count: sumOf(counted, point) }))
  const empty = rows.flatMap((row) => columnNames.filter((point) => isEmpty(row, point))).length
  const rate = Math.round(sessions / Math.max(seconds, 0.001))
  return {
    counted: { sessions },
    facts: { crashes, cuts, answers, handOvers, fenced, unknown, events, empty, rate, threads, hash },
    rows: [...rows.map(({ event, counts }) => ({ event, points: counts })), ...others],
    table: `${eventTable(rows)}\n${eventPointText()}\n${otherTable(others)}\n${notSimulatedText()}`,
    extent: `${sessions} simulated sessions with ${events} events (${rate} a second): ${crashes} crashes, ${cuts} cuts, ${answers} answers to requests for approval, ${handOvers} sessions taken from another host, ${fenced} writes of former owners refused, ${unknown} calls whose outcome is unknown; ${empty} cells of the table are empty`,
    violations,
    seed,
    seconds,
    kept,
    keptAs: "the traces are",
    ...(failedSeed === undefined ? {} : { repeatedBy: { seed: failedSeed, count: 1 } }),
  }
}

/** A point that is about one event counts in its row, whatever the newest event was. */
function countsOf(event: string, counted: ReadonlyMap<string, EventRow["counts"]>): EventRow["counts"] {
  const own = counted.get(event) ?? {}
  const counts: Partial<Record<Point, number>> = {}
  for (const point of columnNames) {
    const count = ownEvent[point] === undefined ? own[point] : ownEvent[point] === event && sumOf(counted, point)
    if (typeof count === "number" && count > 0) counts[point] = count
  }
  return counts
}

function sumOf(counted: ReadonlyMap<string, EventRow["counts"]>, point: Point): number {
  return [...counted.values()].reduce((sum, counts) => sum + (counts[point] ?? 0), 0)
}

function isPossible(event: string, point: EventPoint): boolean {
  return ownEvent[point] === undefined || ownEvent[point] === event
}

function isEmpty({ event, counts }: EventRow, point: EventPoint): boolean {
  return isPossible(event, point) && counts[point] === undefined
}

function eventTable(rows: readonly EventRow[]): string {
  const titles = columnNames.map((point) => point.toUpperCase())
  const cell = (point: EventPoint) => (row: EventRow) =>
    isPossible(row.event, point) ? String(row.counts[point] ?? 0) : "–"
  const cells = columnNames.map((point) => [point.toUpperCase(), cell(point)] as const)
  const shown: Columns<EventRow> = { EVENT: ({ event }) => event, ...Object.fromEntries(cells) }
  return table(rows, shown, titles)
}

function eventPointText(): string {
  const lines = columnNames.map((point) => `${point.padEnd(NAME_WIDTH)}${eventPoints[point]}\n`)
  return `${lines.join("")}${"–".padEnd(NAME_WIDTH)}impossible: only a call has an effect, and only a compaction compacts\n`
}

interface OtherRow {
  readonly point: OtherPoint
  readonly count: number
}

function otherTable(rows: readonly OtherRow[]): string {
  const columns: Columns<OtherRow> = {
    FAULT: ({ point }) => otherPoints[point],
    TIMES: ({ count }) => String(count),
  }
  return table(rows, columns, ["TIMES"])
}

function notSimulatedText(): string {
  const reasons = new Map<string, string[]>()
  for (const { event, why } of notSimulated) reasons.set(why, [...(reasons.get(why) ?? []), event])
  return [...reasons].map(([why, events]) => `not simulated, because ${why}: ${events.join(", ")}\n`).join("")
}
