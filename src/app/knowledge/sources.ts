// The sources of a home: lists them with their last run, reads them again, shows their runs and removes them.
import { isAbsolute, resolve } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { IndexOutdated, openForReading, openForWriting } from "../../knowledge/index/schema.ts"
import {
  documentNames,
  listSources,
  removeSource,
  sourceById,
  type ListedSource,
} from "../../knowledge/sources/registry.ts"
import { runSource, type RunTools } from "../../knowledge/sources/run-source.ts"
import {
  isAnyRunning,
  lastRun,
  listRuns,
  problemsOf,
  SourceBusy,
  type Run,
  type RunProblem,
} from "../../knowledge/sources/runs.ts"
import { hasSources } from "../../knowledge/sources/tables.ts"
import { AppFault, messageOf } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { documentDatabase, indexPath } from "../settings/knowledge.ts"
import { addReport, emptySum, type AddedDocuments } from "./add-documents.ts"
import { bringUpToDate, withReadableFaults } from "./documents.ts"
import { embedAll } from "./embed-all.ts"
import { processMark, withIndex, type IndexWork } from "./open-index.ts"

export interface ShownSource extends ListedSource {
  readonly lastRun: Run | undefined
}

export interface ShownRun extends Run {
  readonly problems: readonly RunProblem[]
}

/** Of one organisation or of all. */
export async function shownSources(home: string, org: string | undefined): Promise<readonly ShownSource[]> {
  return readIndex(home, [], (database) =>
    listSources(database, org).map((source) => ({ ...source, lastRun: lastRun(database, source.id, processMark()) })),
  )
}

/** Newest first. */
export async function shownRuns(home: string, name: string, org: string | undefined): Promise<readonly ShownRun[]> {
  const runs = await readIndex(home, undefined, (database) => {
    const { id } = sourceNamed(database, name, org)
    return listRuns(database, id, processMark()).map((run) => ({ ...run, problems: problemsOf(database, run.id) }))
  })
  if (runs === undefined) throw unknown(name)
  return runs
}

export interface RefreshRequest extends IndexWork {
  /** Ids, paths or addresses; none: all. */
  readonly names: readonly string[]
  readonly org: string | undefined
  /** Only those whose time has come. */
  readonly isDue: boolean
  readonly acceptsEmpty: boolean
}

export async function refreshSources(context: AppContext, request: RefreshRequest): Promise<AddedDocuments> {
  const sum = emptySum()
  const chosen = await chosenSources(context.home, request)
  const isShared = documentDatabase(context.config) !== undefined // where there may be something left to write
  if (chosen.length === 0 && (request.isDue || !isShared)) return sum
  return withIndex(context, request, async (tools) => {
    const { database } = tools.writer
    if (request.isDue && isAnyRunning(database, tools.process)) return sum // one process at a time works by the schedule
    for (const { id } of chosen) {
      const source = sourceById(database, id)
      if (source === undefined || request.signal.aborted || (request.isDue && !isDue(source))) continue
      await refresh(tools, source, request, sum)
    }
    tools.writer.flush()
    await embedAll(tools.writer, context, request, sum)
    return sum
  })
}

async function chosenSources(
  home: string,
  { names, org, isDue: onlyDue }: RefreshRequest,
): Promise<readonly ListedSource[]> {
  const chosen = await readIndexedSources(home, names, org)
  return onlyDue ? chosen.filter(isDue) : chosen
}

/** All of them, or those that are named by number, path or address. */
export async function readIndexedSources(
  home: string,
  names: readonly string[],
  org: string | undefined,
): Promise<readonly ListedSource[]> {
  const [first] = names
  const found = await readIndex(home, [], (database) =>
    first === undefined ? listSources(database, org) : names.map((name) => sourceNamed(database, name, org)),
  )
  if (first !== undefined && found.length === 0) throw unknown(first)
  return found
}

/** Whether a host has something to read, and no other process reads. */
export function hasDueSource(home: string): boolean {
  try {
    const found = readOnce(
      home,
      (database) => listSources(database).some(isDue) && !isAnyRunning(database, processMark()),
    )
    return typeof found === "string" ? false : found.value
  } catch (fault) {
    if (fault instanceof IndexOutdated) return false // it is rebuilt by the next search or command
    throw fault
  }
}

function isDue({ nextRunAt }: ListedSource): boolean {
  return nextRunAt !== undefined && nextRunAt <= Date.now()
}

async function refresh(
  tools: RunTools,
  source: ListedSource,
  { acceptsEmpty }: RefreshRequest,
  sum: AddedDocuments,
): Promise<void> {
  try {
    addReport(sum, await runSource(tools, source, { acceptsEmpty }))
  } catch (fault) {
    if (!(fault instanceof SourceBusy)) throw fault
    sum.refused.push({ id: source.root, why: messageOf(fault) })
  }
}

export interface RemovedSource {
  readonly location: string
  readonly documents: number
  /** A folder around it that reads its documents again. */
  readonly inside: string | undefined
}

/** With their documents: all of them or none. */
export async function removeSources(
  context: AppContext,
  { names, org, ...work }: Omit<RefreshRequest, "isDue" | "acceptsEmpty">,
): Promise<readonly RemovedSource[]> {
  await chosenSources(context.home, { names, org, ...work, isDue: false, acceptsEmpty: false })
  return withIndex(context, work, async ({ writer }) => {
    const sources = names.map((name) => sourceNamed(writer.database, name, org))
    return sources.map((source) => {
      const documents = documentNames(writer.database, source)
      for (const name of documents) writer.remove(source.org, name)
      removeSource(writer.database, source.id)
      const around = listSources(writer.database, source.org).find(
        (other) => other.kind === "folder" && source.root.startsWith(`${other.root}/`),
      )
      return { location: source.root, documents: documents.length, inside: around?.root }
    })
  })
}

/** By number, or by path or address. */
export function sourceNamed(database: DatabaseSync, name: string, org: string | undefined): ListedSource {
  const all = listSources(database, org)
  const byNumber = /^\d+$/.test(name) ? all.find(({ id }) => id === Number(name)) : undefined
  if (byNumber !== undefined) return byNumber
  const places = new Set([name, ...(isAbsolute(name) ? [] : [resolve(name)])])
  const found = all.filter(({ root }) => places.has(root))
  const [only, other] = found
  if (only === undefined) throw unknown(name)
  if (other !== undefined)
    throw new AppFault(`${name} is a source in ${found.map((one) => one.org).join(" and ")}. Choose one with --org.`)
  return only
}

function unknown(name: string): AppFault {
  return new AppFault(`no source '${name}'. 'turnhouse knowledge sources' lists them.`)
}

/** An index without tables of sources is brought up to date first. */
async function readIndex<Value>(home: string, none: Value, read: (database: DatabaseSync) => Value): Promise<Value> {
  await bringUpToDate(home)
  return withReadableFaults(() => {
    const found = readOnce(home, read)
    if (found === "no index") return none
    if (found !== "no sources") return found.value
    openForWriting(indexPath(home)).close()
    const again = readOnce(home, read)
    return typeof again === "string" ? none : again.value
  })
}

function readOnce<Value>(home: string, read: (database: DatabaseSync) => Value) {
  const database = openForReading(indexPath(home))
  if (database === undefined) return "no index" as const
  try {
    return hasSources(database) ? { value: read(database) } : ("no sources" as const)
  } finally {
    database.close()
  }
}
