// Follows folders and files that are sources: what changes is read after a short pause, until the signal.
import { readIndexedSources } from "../sources.ts"
import { runSource, type RunReport } from "../../../knowledge/sources/run-source.ts"
import { sourceById, type ListedSource } from "../../../knowledge/sources/registry.ts"
import { SourceBusy } from "../../../knowledge/sources/runs.ts"
import { AppFault, messageOf } from "../../app-fault.ts"
import type { AppContext } from "../../context.ts"
import { DocumentsUnavailable } from "../documents-unavailable.ts"
import { embedAll, type EmbeddedPassages } from "../embed-all.ts"
import { withIndex, type IndexWork } from "../open-index.ts"
import { FolderWatch, type FolderWatchOptions } from "./folder-watch.ts"

export interface WatchRequest extends IndexWork, Pick<FolderWatchOptions, "scanMs" | "watchPath"> {
  /** Ids or paths; none: all folders and files. */
  readonly names: readonly string[]
  readonly org: string | undefined
  /** After the first reading, with what is watched. */
  readonly onWatching: (locations: readonly string[]) => void
  readonly onReport: (report: RunReport) => void
  readonly onNotice: (sentence: string) => void
}

/** Changes come in groups: a group ends with a pause. */
const PAUSE_MS = 300
/** A group that does not end is read after this time. */
const MAX_WAIT_MS = 5000
/** More changed paths than this are read as a whole folder. */
const MAX_PARTS = 20
const BUSY_MS = 2000
/** Where documents are in PostgreSQL, which cannot be used now. */
const UNAVAILABLE_MS = 10_000

export async function watchSources(context: AppContext, request: WatchRequest): Promise<void> {
  const sources = await watchable(context, request)
  const changes = new Changes(request.signal)
  for (const { id } of sources) changes.note(id, undefined)
  const watches = sources.map((source) => ({ id: source.id, watch: watchOf(source, changes, request) }))
  try {
    await readChanges(context, request, changes, watches)
    if (!request.signal.aborted) request.onWatching(sources.map(({ root }) => root))
    while (await changes.next()) await readChanges(context, request, changes, watches)
  } finally {
    for (const { watch } of watches) watch[Symbol.dispose]()
  }
}

async function watchable({ home }: AppContext, { names, org }: WatchRequest): Promise<readonly ListedSource[]> {
  const found = await readIndexedSources(home, names, org)
  const other = names.length === 0 ? undefined : found.find((source) => !isPath(source))
  if (other !== undefined)
    throw new AppFault(
      `${other.root} is no folder or file. Use 'turnhouse knowledge add … --every TIME' to read it again.`,
    )
  const sources = found.filter(isPath)
  if (sources.length === 0) throw new AppFault("no folders are known. 'turnhouse knowledge add PATH' adds one.")
  return sources
}

function isPath({ kind }: ListedSource): boolean {
  return kind === "file" || kind === "folder"
}

function watchOf(source: ListedSource, changes: Changes, { onNotice, scanMs, watchPath }: WatchRequest): FolderWatch {
  const { id, kind, root } = source
  return new FolderWatch({
    kind: kind === "file" ? "file" : "folder",
    root,
    onChange: (path) => changes.note(id, path),
    onNotice,
    ...(scanMs === undefined ? {} : { scanMs }),
    ...(watchPath === undefined ? {} : { watchPath }),
  })
}

type Watches = readonly { readonly id: number; readonly watch: FolderWatch }[]

async function readChanges(
  context: AppContext,
  request: WatchRequest,
  changes: Changes,
  watches: Watches,
): Promise<void> {
  const taken = changes.take()
  if (taken.size === 0) return
  try {
    await readTaken(context, request, { changes, taken, watches })
  } catch (fault) {
    if (!(fault instanceof DocumentsUnavailable)) throw fault
    request.onNotice(fault.message)
    for (const id of taken.keys()) changes.noteLater(id, undefined, UNAVAILABLE_MS)
  }
}

interface Taken {
  readonly changes: Changes
  readonly taken: ReturnType<Changes["take"]>
  readonly watches: Watches
}

async function readTaken(
  context: AppContext,
  request: WatchRequest,
  { changes, taken, watches }: Taken,
): Promise<void> {
  await withIndex(context, request, async (tools) => {
    for (const [id, parts] of taken) {
      const source = sourceById(tools.writer.database, id)
      if (source === undefined || request.signal.aborted) continue
      for (const part of parts ?? [undefined]) {
        try {
          const report = await runSource(tools, source, part === undefined ? {} : { part })
          request.onReport(report)
          if (report.outcome === "failed")
            watches.find((one) => one.id === id)?.watch.scanInstead(report.note ?? "it failed")
        } catch (fault) {
          if (!(fault instanceof SourceBusy)) throw fault
          request.onNotice(`${source.root}: ${messageOf(fault)}`)
          changes.noteLater(id, part, BUSY_MS)
        }
      }
    }
    tools.writer.flush()
    const made: EmbeddedPassages = { embedded: 0 }
    await embedAll(tools.writer, context, request, made)
    if (made.notEmbedded !== undefined) request.onNotice(`passages are found by words only: ${made.notEmbedded}`)
  })
}

/** Changed paths by source; undefined instead of a set: anything may have changed. */
class Changes {
  readonly #signal: AbortSignal
  #noted = new Map<number, Set<string> | undefined>()
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener("abort", () => this.#wake?.())
  }

  note(id: number, path: string | undefined): void {
    const paths = this.#noted.get(id)
    const isWhole =
      path === undefined || (this.#noted.has(id) && paths === undefined) || (paths?.size ?? 0) >= MAX_PARTS
    this.#noted.set(id, isWhole ? undefined : new Set([...(paths ?? []), path]))
    this.#since ??= performance.now()
    const wait = Math.min(PAUSE_MS, Math.max(0, this.#since + MAX_WAIT_MS - performance.now()))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#wake?.(), wait)
  }

  noteLater(id: number, path: string | undefined, ms: number): void {
    setTimeout(() => this.note(id, path), ms).unref()
  }

  take(): ReadonlyMap<number, ReadonlySet<string> | undefined> {
    const taken = this.#noted
    this.#noted = new Map()
    this.#since = undefined
    clearTimeout(this.#timer)
    return taken
  }

  /** False when the signal has come. */
  async next(): Promise<boolean> {
    if (this.#signal.aborted) return false
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    if (this.#noted.size > 0) this.#timer = setTimeout(resolve, PAUSE_MS)
    const keepsRunning = setInterval(() => {}, 60_000)
    await promise
    clearInterval(keepsRunning)
    return !this.#signal.aborted
  }
}
