// Reads a source once: adds and changes its documents, removes those that are gone, and records the run. Whatever ends
// it early, the index has every document as it was before or as it is now.
import { messageOf } from "../../contract/faults.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Extractor } from "../extract/extractor.ts"
import { FetchFault } from "../fetch/checked-url.ts"
import { findDocument } from "../index/catalogue.ts"
import type { IndexWriter } from "../index/writer.ts"
import { addDocuments, type Added } from "../ingest/add-documents.ts"
import { SourceFault } from "../ingest/source-fault.ts"
import type { AddOptions, Mark, Source } from "../ingest/source.ts"
import type { Audience } from "../rights.ts"
import { pageMemory } from "./page-memory.ts"
import { isRemote, readSource } from "./read-source.ts"
import type { ReadingContext, ReadingEnd } from "./reading.ts"
import { listSources, setRevision, type RegisteredSource } from "./registry.ts"
import { endRun, noteAlive, startRun, type ProcessMark, type RunOutcome, type RunProblem } from "./runs.ts"

export interface RunTools extends Pick<ReadingContext, "cache" | "fetching" | "delayMs"> {
  readonly writer: IndexWriter
  readonly extractor: Extractor
  /** Takes secrets out of everything that is stored. */
  readonly redactor: { text(value: string): string; stream(): { push(piece: string): string; end(): string } }
  readonly process: ProcessMark
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
  readonly now: () => number
}

export interface RunRequest {
  /** Where it is read from, if that has a secret that is not stored. */
  readonly location?: string
  /** For all its documents; undefined: known ones keep theirs. */
  readonly audience?: { readonly groups: Audience } | undefined
  readonly sets?: readonly string[] | undefined
  /** Only this path below a folder. */
  readonly part?: string | undefined
  /** Documents are removed although nothing at all was found. */
  readonly acceptsEmpty?: boolean
}

export interface RunReport {
  readonly source: RegisteredSource
  readonly outcome: Exclude<RunOutcome, "running">
  readonly note: string | undefined
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly unchanged: number
  readonly removed: readonly string[]
  /** Not found, but still in the index. */
  readonly gone: readonly string[]
  readonly problems: readonly RunProblem[]
  /** Files of no known kind, and the names of the first of them. */
  readonly skipped: { readonly count: number; readonly names: readonly string[] }
  readonly passages: number
  readonly bytes: number
}

const MAX_SKIPPED_NAMES = 20
/** Milliseconds after which what was read becomes searchable, and other processes may write. */
const FLUSH_MS = 1000
/** Characters of a document after which its progress is shown. */
const SHOWN_LENGTH = 1_000_000

/** Throws SourceBusy; the failure of a source is part of the report. */
export async function runSource(
  tools: RunTools,
  source: RegisteredSource,
  request: RunRequest = {},
): Promise<RunReport> {
  const { writer, now } = tools
  writer.flush()
  const id = startRun(writer.database, source.id, tools.process, now())
  const run = new SourceRun(tools, source, { ...request, id })
  try {
    await run.read()
  } catch (fault) {
    run.end(fault)
    if (!run.isExpected(fault)) {
      record(tools, id, run.report())
      throw fault
    }
  }
  return record(tools, id, run.report())
}

function record({ writer, now }: RunTools, id: number, report: RunReport): RunReport {
  const { source, outcome, note, problems, added, changed, unchanged, removed } = report
  const counts = {
    added: added.length,
    changed: changed.length,
    unchanged,
    removed: removed.length,
    failed: problems.length,
  }
  endRun(writer.database, source, id, { outcome, note, counts, problems, at: now() })
  return report
}

class SourceRun {
  readonly #tools: RunTools
  readonly #source: RegisteredSource
  readonly #request: RunRequest & { readonly id: number }
  readonly #seen = new Set<string>()
  readonly #added: string[] = []
  readonly #changed: string[] = []
  readonly #removed: string[] = []
  readonly #missing: string[] = []
  readonly #problems: RunProblem[] = []
  readonly #skippedNames: string[] = []
  #skipped = 0
  #gone: readonly string[] = []
  #unchanged = 0
  #passages = 0
  #bytes = 0
  #outcome: RunReport["outcome"] = "done"
  #note: string | undefined

  constructor(tools: RunTools, source: RegisteredSource, request: RunRequest & { readonly id: number }) {
    this.#tools = tools
    this.#source = source
    this.#request = request
  }

  async read(): Promise<void> {
    const { writer, signal, redactor } = this.#tools
    const located = { ...this.#source, root: this.#request.location ?? this.#source.root }
    const reading = readSource(located, this.#context(), this.#request.part)
    let flushedAt = performance.now()
    const documents = this.#scrubbed(reading.documents)
    for await (const result of addDocuments(writer, documents, this.#addOptions(), this.#tools.now)) {
      this.#take(result)
      this.#tools.onProgress(`${this.#seen.size} documents read: ${oneLine(result.name, 60)}`)
      const isDue = performance.now() - flushedAt > FLUSH_MS
      if (isDue) noteAlive(writer.database, this.#request.id, this.#tools.now())
      if (isDue || isRemote(this.#source)) writer.flush()
      if (isDue) flushedAt = performance.now()
      signal.throwIfAborted()
    }
    signal.throwIfAborted()
    const end = reading.end()
    this.#note = end.note === undefined ? undefined : redactor.text(end.note)
    this.#removeMissing(end)
    this.#finish(end)
    writer.flush()
  }

  end(fault: unknown): void {
    const isInterrupted = this.#tools.signal.aborted
    this.#outcome = isInterrupted ? "interrupted" : "failed"
    this.#note = isInterrupted ? "interrupted" : oneLine(this.#tools.redactor.text(messageOf(fault)), 1000)
    try {
      this.#tools.writer.flush()
    } catch {
      // the fault that is reported is the reason, such as a full disk
    }
  }

  isExpected(fault: unknown): boolean {
    return this.#tools.signal.aborted || fault instanceof SourceFault || fault instanceof FetchFault
  }

  report(): RunReport {
    return {
      source: this.#source,
      outcome: this.#outcome,
      note: this.#note,
      added: this.#added,
      changed: this.#changed,
      unchanged: this.#unchanged,
      removed: this.#removed,
      gone: this.#gone,
      problems: this.#problems,
      skipped: { count: this.#skipped, names: this.#skippedNames },
      passages: this.#passages,
      bytes: this.#bytes,
    }
  }

  #context(): ReadingContext {
    const { writer, extractor, signal, onProgress, cache, fetching, delayMs } = this.#tools
    return {
      extractor,
      signal,
      onProgress,
      cache,
      memory: pageMemory(writer.database, this.#source.id),
      known: (name) => this.#known(name),
      skips: new Set(this.#others()),
      ...(fetching === undefined ? {} : { fetching }),
      ...(delayMs === undefined ? {} : { delayMs }),
    }
  }

  /** With new rights every document is read again. */
  #known(name: string): Mark | undefined {
    if (this.#request.audience !== undefined || this.#request.sets !== undefined) return undefined
    const { writer, redactor } = this.#tools
    const known = findDocument(writer.database, this.#source.org, redactor.text(name))
    return known?.root === this.#source.root ? { hash: known.hash, bytes: known.bytes } : undefined
  }

  /** Of the same organisation: what is in them belongs to them. */
  #others(): readonly string[] {
    const { org, id } = this.#source
    return listSources(this.#tools.writer.database, org).flatMap((other) => (other.id === id ? [] : other.root))
  }

  #addOptions(): AddOptions {
    const { org, audience, sets } = this.#source
    return { org, audience: this.#request.audience, sets: this.#request.sets, ofNew: { audience, sets } }
  }

  async *#scrubbed(documents: AsyncIterable<Source>): AsyncGenerator<Source> {
    const { redactor } = this.#tools
    for await (const document of documents) {
      this.#tools.signal.throwIfAborted()
      const { name, place, url } = document
      const scrubbed: Source = {
        name: redactor.text(name),
        place: redactor.text(place),
        root: this.#source.root,
        url: url === undefined ? undefined : redactor.text(url),
        mark: () => document.mark(),
        text: () => this.#reported(name, scrubbedText(document.text(), redactor)),
        stored: () => document.stored?.(),
      }
      yield scrubbed
    }
  }

  /** A long document shows that it is being read. */
  async *#reported(name: string, text: AsyncIterable<string>): AsyncGenerator<string> {
    const { onProgress } = this.#tools
    const line = `${this.#seen.size} documents read; reading ${oneLine(name, 60)}`
    let length = 0
    onProgress(line)
    for await (const piece of text) {
      yield piece
      length += piece.length
      if (length >= SHOWN_LENGTH) onProgress(`${line}: ${Math.floor(length / SHOWN_LENGTH)} MB`)
    }
  }

  #take(result: Added): void {
    const { name } = result
    if (result.kind === "gone") {
      this.#missing.push(name)
      return
    }
    if (result.kind === "skipped") {
      this.#skipped += 1
      if (this.#skippedNames.length < MAX_SKIPPED_NAMES) this.#skippedNames.push(name)
      return
    }
    this.#seen.add(name)
    if (result.kind === "refused") this.#problems.push({ name, reason: this.#tools.redactor.text(result.reason) })
    else if (result.kind === "unchanged") this.#unchanged += 1
    else {
      const list = result.kind === "added" ? this.#added : this.#changed
      list.push(name)
      this.#passages += result.passages
      this.#bytes += result.bytes
    }
  }

  #removeMissing({ isComplete }: ReadingEnd): void {
    const { writer } = this.#tools
    const missing = isComplete ? this.#unseen() : this.#missing
    const isEmpty = this.#request.part === undefined && this.#seen.size === 0 && missing.length > 0
    if (isEmpty && this.#request.acceptsEmpty !== true) {
      this.#gone = missing
      return
    }
    for (const name of missing) if (writer.remove(this.#source.org, name)) this.#removed.push(name)
  }

  /** Documents of this source, or of its part, that were not found. The content of an unreadable folder is unknown. */
  #unseen(): readonly string[] {
    const { org, root, prefix, kind } = this.#source
    const { part } = this.#request
    const closed = kind === "folder" ? [...this.#seen].filter((name) => name.endsWith("/")) : []
    const rows = this.#tools.writer.database
      .prepare("select name from documents where org = ? and root = ? order by name")
      .all(org, root)
    const of = part === undefined ? undefined : `${prefix}${part}`
    return rows
      .map((row) => String(row["name"]))
      .filter((name) => of === undefined || name === of || name.startsWith(`${of}/`))
      .filter((name) => !this.#seen.has(name) && !closed.some((folder) => name.startsWith(folder)))
  }

  #finish({ isComplete, revision }: ReadingEnd): void {
    const isWhole = this.#request.part === undefined && this.#problems.length === 0
    if (revision !== undefined && isWhole && isComplete)
      setRevision(this.#tools.writer.database, this.#source.id, revision)
    if (this.#gone.length > 0) {
      this.#outcome = "failed"
      this.#note = `none of its documents (${this.#gone.length}) was found; they stay in the index until a run with --prune`
    } else if (this.#problems.length > 0 || !isComplete) this.#outcome = "partial"
  }
}

async function* scrubbedText(text: AsyncIterable<string>, redactor: RunTools["redactor"]): AsyncGenerator<string> {
  const stream = redactor.stream()
  for await (const piece of text) yield stream.push(piece)
  yield stream.end()
}
