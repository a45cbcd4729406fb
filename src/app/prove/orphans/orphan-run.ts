// One run: a host is started, a session in it starts scripts that are hard to end, the host is killed with kill -9, and
// five seconds later no process of them may be left.
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../clients/house/house-client.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { accepted } from "../../app-fault.ts"
import type { ListedProcess } from "../../demo/end-programs.ts"
import { DoorMemory } from "../crash/doors/door-client.ts"
import { reachHost, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import type { Report } from "../violation.ts"
import { isReady, processesOf, startersOf, withoutEscaped, type Plan } from "./orphan-home.ts"
import type { Point, Starter } from "./orphan-tally.ts"

export interface OrphanRunOptions {
  readonly home: LaneHome
  readonly kind: LaneKind
  readonly plan: Plan
  readonly sandbox: boolean
  readonly point: Point
  /** For the points that are not `ready`. */
  readonly waitMs: number
  readonly report: Report
  readonly signal: AbortSignal
}

export interface OrphanRunResult {
  readonly running: ReadonlySet<Starter>
  readonly escaped: ReadonlySet<Starter>
  /** That ran at the kill. */
  readonly processes: number
  /** Until none was left; 0 if one has escaped. */
  readonly tookMs: number
}

/** Of the promise. */
const LIMIT_MS = 5000
const LOOK_MS = 50
/** A host must start, and its scripts must be at work, within this time, also on a busy machine. */
const PATIENCE_MS = 60_000

/** Undefined if the proof was ended, or has failed. No process is left afterwards. */
export async function runOrphans(options: OrphanRunOptions): Promise<OrphanRunResult | undefined> {
  const { home, kind, report, signal } = options
  const started = kind.start(home, new DoorMemory(kind.name, report, true), undefined)
  try {
    const isAtPoint = await reachPoint(options, started)
    const before = await processesOf(home)
    started.process.signal("SIGKILL")
    const killedAt = performance.now()
    await started.process.exited
    if (!isAtPoint || signal.aborted) return undefined
    return await watchEnd(options, before, killedAt)
  } finally {
    started.process.signal("SIGKILL")
    await started.process.exited
    await endAll(home)
  }
}

/** False if the proof was ended, or has failed. */
async function reachPoint(options: OrphanRunOptions, started: Started): Promise<boolean> {
  const { home, plan, point, waitMs, signal } = options
  if (point === "random") {
    const prompted = prompt(options, started).catch(() => undefined) // it ends with the host
    await Promise.race([sleep(waitMs), prompted.then(() => sleep(waitMs))])
    return true
  }
  const sent = await prompt(options, started)
  const deadline = performance.now() + PATIENCE_MS
  while (!isReady(home, plan, await processesOf(home))) {
    if (signal.aborted) return false
    if (started.process.exit !== undefined || performance.now() > deadline) {
      options.report("broken", "tool.started", `the scripts of the run did not start: ${planned(plan)}`)
      return false
    }
    await sleep(LOOK_MS)
  }
  if (point === "stopping" && sent !== undefined) {
    await sent.client.send(sent.sessionId, { type: "interrupt" })
    await sleep(waitMs)
  }
  sent?.client.close()
  return true
}

interface Sent {
  readonly client: HouseClient
  readonly sessionId: SessionId
}

async function prompt({ home, kind, report, signal }: OrphanRunOptions, started: Started): Promise<Sent | undefined> {
  const client = await reachHost(kind, home, started, () => signal.aborted || started.process.exit !== undefined)
  if (client === undefined) return undefined
  const sessionId = await kind.create(home, started, client, new DoorMemory(kind.name, report, true))
  accepted(await client.open(sessionId))
  accepted(await client.send(sessionId, { type: "prompt", promptId: "prm_1", text: "go", ifBusy: "wait" }))
  return { client, sessionId }
}

/** Undefined if a process is left that must not be: that is reported. */
async function watchEnd(
  { home, plan, sandbox, report }: OrphanRunOptions,
  before: readonly ListedProcess[],
  killedAt: number,
): Promise<OrphanRunResult | undefined> {
  const running = startersOf(home, before)
  for (;;) {
    const left = await processesOf(home)
    const tookMs = performance.now() - killedAt
    if (left.length === 0) return { running, escaped: new Set(), processes: before.length, tookMs }
    if (tookMs > LIMIT_MS) {
      const broken = sandbox ? left : withoutEscaped(home, plan, left)
      if (broken.length === 0) return { running, escaped: startersOf(home, left), processes: before.length, tookMs: 0 }
      const lines = broken.map(({ pid, commandLine }) => `${pid}: ${commandLine.slice(0, 200)}`).join("; ")
      report("broken", "tool.started", `${LIMIT_MS / 1000} s after the kill there is still ${lines} (${planned(plan)})`)
      return undefined
    }
    await sleep(LOOK_MS)
  }
}

function planned(plan: Plan): string {
  return Object.entries(plan)
    .map(([starter, { name }]) => `${starter}: ${name}`)
    .join(", ")
}

/** What has escaped, or what a broken promise has left. Some start others while they are ended. */
async function endAll(home: LaneHome): Promise<void> {
  for (;;) {
    const left = await processesOf(home)
    if (left.length === 0) return
    for (const { pid } of left) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // it has ended in the meantime
      }
    }
    await sleep(LOOK_MS)
  }
}
