// `turnhouse migrate --to TARGET`: copies the log of a home from SQLite to PostgreSQL, or back.
import { AppFault, exitCodes } from "../../../app/app-fault.ts"
import { loadContext, type AppContext } from "../../../app/context.ts"
import type { CopyProgress } from "../../../app/migrate/copy-sessions.ts"
import type { MigrationReport } from "../../../app/migrate/migrate-log.ts"
import { migrationTarget, nextSteps, type MigrationTarget } from "../../../app/migrate/target.ts"
import { onSignals } from "../../../app/signals.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"
import { ProgressLine, writeJson } from "../../output.ts"

/** Shorter migrations show no progress. */
const QUIET_MS = 1000
/** Between two lines in a pipe. */
const LINE_EVERY_MS = 5000
/** Sessions that are named on one line each. */
const MAX_NAMED = 50

export async function run(args: Args): Promise<number> {
  const context = await loadContext()
  const target = migrationTarget(args.text("to"), context)
  const isDryRun = args.flag("dry-run")
  const { migrateLog } = await import("../../../app/migrate/migrate-log.ts")
  const report = await interruptible((signal, onProgress) =>
    migrateLog({ home: context.home, ...target, isDryRun, onProgress, signal }),
  )
  const isWhole = report.conflicts.length + report.damaged.length === 0
  const documents = isDryRun || target.to === "sqlite" ? 0 : await publishDocuments(target, context)
  const steps = isDryRun ? [] : nextSteps(target, context, process.env)
  if (args.flag("json")) writeJson({ ...report, documents, nextSteps: steps })
  else process.stdout.write(reportText(report, documents, steps))
  return isWhole ? exitCodes.done : exitCodes.failed
}

async function publishDocuments({ cluster }: MigrationTarget, { home }: AppContext): Promise<number> {
  const { migrateDocuments } = await import("../../../app/migrate/migrate-documents.ts")
  const line = new ProgressLine()
  try {
    return await migrateDocuments(cluster, home, (text) => process.stderr.isTTY && line.show(text))
  } finally {
    line.clear()
  }
}

async function interruptible(
  work: (signal: AbortSignal, onProgress: (progress: CopyProgress) => void) => Promise<MigrationReport>,
): Promise<MigrationReport> {
  const progress = new MigrationProgress()
  const stop = new AbortController()
  const stopListening = onSignals((number) => {
    if (stop.signal.aborted) process.exit(128 + number)
    stop.abort(new AppFault("interrupted. Run the same command again: it continues where it was.", 128 + number))
  })
  try {
    return await work(stop.signal, (at) => progress.show(at))
  } finally {
    progress.clear()
    stopListening()
  }
}

class MigrationProgress {
  readonly #line = new ProgressLine()
  readonly #since = performance.now()
  #printedAt = this.#since

  show({ sessions, of, events }: CopyProgress): void {
    const now = performance.now()
    if (now - this.#since < QUIET_MS) return
    const text = `${counted(sessions)} of ${counted(of)} sessions, ${counted(events)} events copied`
    if (process.stderr.isTTY) return this.#line.show(text)
    if (now - this.#printedAt < LINE_EVERY_MS) return
    this.#printedAt = now
    printNotice(text)
  }

  clear(): void {
    this.#line.clear()
  }
}

function reportText(report: MigrationReport, documents: number, steps: readonly string[]): string {
  const { conflicts, damaged, onlyInTarget, to } = report
  const lines = [
    ...limited(conflicts.map(({ sessionId, what }) => `session ${sessionId}: conflict, not copied: ${what}`)),
    ...limited(
      damaged.map(({ sessionId, seq, what, side }) => `session ${sessionId}, event ${seq} in the ${side}: ${what}`),
    ),
    summary(report),
    ...(documents === 0 ? [] : [`${counted(documents)} ${documents === 1 ? "document" : "documents"} published.`]),
    ...(onlyInTarget === 0 ? [] : [`${to} has ${sessionsText(onlyInTarget)} more, which were not touched.`]),
    ...steps,
  ]
  return `${lines.join("\n")}\n`
}

function summary({
  dryRun,
  copied,
  unchanged,
  events,
  verified,
  headOfHeads,
  conflicts,
  damaged,
  from,
  to,
}: MigrationReport) {
  const counts = `${sessionsText(copied)}, ${counted(events)} events`
  const same = unchanged === 0 ? "" : `, ${counted(unchanged)} unchanged`
  if (dryRun) return `${counts} would be copied${same}, from ${from} to ${to}.`
  const isWhole = conflicts.length + damaged.length === 0
  const chains = isWhole ? "every chain verified" : `${counted(verified)} chains verified`
  return `${counts} copied${same}; ${chains}; head of heads SHA-256 ${headOfHeads}`
}

function limited(lines: readonly string[]): readonly string[] {
  const more = lines.length - MAX_NAMED
  return more <= 0 ? lines : [...lines.slice(0, MAX_NAMED), `… and ${counted(more)} more (--json lists all)`]
}

function sessionsText(count: number): string {
  return count === 1 ? "1 session" : `${counted(count)} sessions`
}

function counted(count: number): string {
  return count.toLocaleString("en-US")
}
