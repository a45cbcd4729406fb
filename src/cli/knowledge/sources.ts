// `turnhouse knowledge sources|refresh|runs` and `rm --source`.
import { exitCodes } from "../../app/app-fault.ts"
import { loadContextLeniently } from "../../app/context.ts"
import {
  refreshSources,
  removeSources,
  shownRuns,
  shownSources,
  type ShownRun,
  type ShownSource,
} from "../../app/knowledge/sources.ts"
import { documentDatabase } from "../../app/settings/knowledge.ts"
import { oneLine } from "../../contract/text/text.ts"
import { ago, counted, moment, span } from "../../display/format.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { printResult, table, writeJson, type Columns } from "../output.ts"
import { audienceText, orgGiven } from "./options.ts"
import { printReading, withSignals } from "./reading.ts"

export async function sources(args: Args): Promise<number> {
  const { home, config } = await loadContextLeniently()
  const all = await shownSources(home, orgGiven(args))
  const others = documentDatabase(config) === undefined ? "" : "Other nodes have their own sources.\n"
  if (args.flag("json")) writeJson(all.map(sourceJson))
  else if (all.length === 0) process.stdout.write(`No sources. 'turnhouse knowledge add PATH' adds one.\n${others}`)
  else process.stdout.write(`${table(all, sourceColumns, ["ID", "DOCUMENTS"])}${errorsText(all)}${others}`)
  return exitCodes.done
}

export async function refresh(names: readonly string[], args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const request = { names, org: orgGiven(args), isDue: args.flag("due"), acceptsEmpty: args.flag("prune") }
  return printReading(args, (work) => refreshSources(context, { ...request, ...work }))
}

export async function runs(name: string, args: Args): Promise<number> {
  const { home } = await loadContextLeniently()
  const all = await shownRuns(home, name, orgGiven(args))
  return printResult(
    args,
    all.map((run) => ({ ...runJson(run), problems: run.problems })),
    () =>
      all.length === 0
        ? "It was not read yet with this release.\n"
        : `${table(all, runColumns, numbers)}${problemsText(all)}`,
  )
}

export async function removeWithDocuments(positionals: readonly string[], args: Args): Promise<number> {
  const context = await loadContextLeniently()
  const names = [...new Set(positionals)]
  const { sum, signal = 2 } = await withSignals((work) =>
    removeSources(context, { names, org: orgGiven(args), ...work }),
  )
  if (sum === undefined) return 128 + signal
  const removed = sum
  return printResult(args, { removed }, () => {
    const lines = removed.flatMap(({ location, documents, inside }) => [
      `removed ${oneLine(location, longestPlace)} with ${counted(documents, "document")}`,
      ...(inside === undefined
        ? []
        : [`its files are inside of the source ${oneLine(inside, longestPlace)}, whose next run reads them`]),
    ])
    return `${lines.join("\n")}\n`
  })
}

const longestPlace = 100
const numbers = ["ADDED", "CHANGED", "SAME", "REMOVED", "FAILED"]

const sourceColumns: Columns<ShownSource> = {
  ID: ({ id }) => String(id),
  KIND: ({ kind }) => kind,
  SOURCE: ({ root }) => oneLine(root, 60),
  ORGANISATION: ({ org }) => oneLine(org, 30),
  AUDIENCE: ({ audience }) => oneLine(audienceText(audience), 40),
  DOCUMENTS: ({ documents }) => String(documents),
  "LAST RUN": ({ lastRun }) => lastText(lastRun),
  "NEXT RUN": ({ nextRunAt, everyMs }) => (nextRunAt === undefined ? "-" : nextText(nextRunAt, everyMs)),
}

function lastText(run: ShownSource["lastRun"]): string {
  if (run === undefined) return "-"
  return run.outcome === "done" ? ago(Date.now() - run.startedAt) : `${run.outcome}, ${ago(Date.now() - run.startedAt)}`
}

function nextText(at: number, everyMs: number | undefined): string {
  const wait = at - Date.now()
  return `${wait <= 0 ? "due" : `in ${span(wait)}`}${everyMs === undefined ? "" : `, every ${span(everyMs)}`}`
}

function errorsText(all: readonly ShownSource[]): string {
  return all
    .flatMap(({ id, failures, lastRun }) => {
      if (lastRun?.note === undefined) return []
      const again = failures > 1 ? ` (${failures} times)` : ""
      return `${id}: ${oneLine(lastRun.note, 300)}${again}\n`
    })
    .join("")
}

const runColumns: Columns<ShownRun> = {
  STARTED: ({ startedAt }) => moment(startedAt),
  TOOK: ({ startedAt, endedAt }) => (endedAt === undefined ? "-" : span(endedAt - startedAt)),
  RESULT: ({ outcome }) => outcome,
  ADDED: ({ added }) => String(added),
  CHANGED: ({ changed }) => String(changed),
  SAME: ({ unchanged }) => String(unchanged),
  REMOVED: ({ removed }) => String(removed),
  FAILED: ({ failed }) => String(failed),
  NOTE: ({ note }) => oneLine(note ?? "", 200),
}

/** Of the newest run that has some. */
function problemsText(all: readonly ShownRun[]): string {
  const run = all.find(({ problems }) => problems.length > 0)
  if (run === undefined) return ""
  const lines = run.problems.map(({ name, reason }) => `  ${oneLine(name, longestPlace)}: ${oneLine(reason, 200)}\n`)
  const more = run.failed - run.problems.length
  return `\nNot read on ${moment(run.startedAt)}:\n${lines.join("")}${more > 0 ? `  and ${more} more\n` : ""}`
}

function sourceJson(source: ShownSource) {
  const { id, kind, root, org, documents, sets, audience, options, everyMs, nextRunAt, failures, revision, addedAt } =
    source
  return {
    id,
    kind,
    location: root,
    org,
    audience: audience ?? null,
    sets,
    include: options.include,
    exclude: options.exclude,
    documents,
    everySeconds: everyMs === undefined ? null : everyMs / 1000,
    nextRun: nextRunAt === undefined ? null : timeOf(nextRunAt),
    failures,
    revision: revision ?? null,
    addedAt: timeOf(addedAt),
    lastRun: source.lastRun === undefined ? null : runJson(source.lastRun),
  }
}

function runJson(run: NonNullable<ShownSource["lastRun"]>) {
  const { id, outcome, startedAt, endedAt, added, changed, unchanged, removed, failed, note } = run
  return {
    id,
    outcome,
    startedAt: timeOf(startedAt),
    endedAt: endedAt === undefined ? null : timeOf(endedAt),
    added,
    changed,
    unchanged,
    removed,
    failed,
    note: note ?? null,
  }
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
