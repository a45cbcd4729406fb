// Records the newest event of every session in the head file: soon after each commit, at once at the end of a turn, and
// never before the commit is durable. Acknowledgements do not wait for it: a crash loses at most the last
// `flushAfterMs` of records, and no record is ahead of the database.
import type { HeadFile } from "./head-file.ts"
import type { Head, HeadRecord } from "./head-record.ts"

/** What the keeper reads from the database. Only committed data. */
export interface HeadSource {
  headOf(sessionId: string): Head | undefined
  allHeads(): Iterable<Head>
  countSessions(): number
  /** Id of the head file of this database; undefined before the first one is created. */
  knownFileId(): string | undefined
  rememberFileId(fileId: string): void
}

/** Together with one sync this stays below the promised second. */
const flushAfterMs = 400
const retryAfterMs = 2000

export class HeadRecorder {
  readonly #file: HeadFile
  readonly #source: HeadSource
  readonly #warn: (message: string) => void
  #changed = new Set<string>()
  /** Sessions whose records are being written. */
  #inFlight: ReadonlySet<string> = new Set()
  #removedInFlight: string[] = []
  #isUrgent = false
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #hasWarned = false
  #isClosed = false

  constructor(file: HeadFile, source: HeadSource, warn: (message: string) => void) {
    this.#file = file
    this.#source = source
    this.#warn = warn
  }

  /** Call after a successful commit; `isUrgent` at the end of a turn. */
  note(sessionId: string, isUrgent: boolean): void {
    this.#changed.add(sessionId)
    this.#isUrgent ||= isUrgent
    this.#schedule()
  }

  /** Call before the commit that deletes the session: a deleted session must not be reported as missing. */
  forget(sessionId: string): void {
    this.#changed.delete(sessionId)
    if (this.#inFlight.has(sessionId)) this.#removedInFlight.push(sessionId)
    if (this.#ensureFile()) this.#file.appendSync([{ kind: "removed", sessionId }])
  }

  /** Writes outstanding records synchronously. */
  close(): void {
    this.#isClosed = true
    this.#cancelTimers()
    const due = new Set([...this.#inFlight, ...this.#changed])
    try {
      if (due.size > 0 && this.#ensureFile()) this.#file.appendSync(this.#records(due))
    } catch (error) {
      this.#warnOnce(error)
    }
    this.#file.close()
  }

  #schedule(delayMs = flushAfterMs): void {
    if (this.#isClosed) return
    // An immediate runs after the acknowledgement was sent.
    if (this.#isUrgent && delayMs === flushAfterMs) this.#immediate ??= setImmediate(() => void this.#flush())
    else this.#timer ??= setTimeout(() => void this.#flush(), delayMs).unref()
  }

  async #flush(): Promise<void> {
    this.#cancelTimers()
    if (this.#inFlight.size > 0 || this.#changed.size === 0) return
    this.#inFlight = this.#changed
    this.#changed = new Set()
    this.#isUrgent = false
    try {
      await this.#write(this.#inFlight)
      this.#hasWarned = false
      this.#inFlight = new Set()
      if (this.#changed.size > 0) this.#schedule()
    } catch (error) {
      if (this.#isClosed) return // `close` has written it again
      this.#warnOnce(error)
      this.#changed = new Set([...this.#inFlight, ...this.#changed])
      this.#inFlight = new Set()
      this.#schedule(retryAfterMs)
    }
  }

  async #write(sessionIds: ReadonlySet<string>): Promise<void> {
    if (!this.#ensureFile()) return
    await this.#file.append(this.#records(sessionIds))
    // The record of a session that was deleted meanwhile may follow the record of its deletion.
    const removed = this.#removedInFlight.splice(0)
    if (this.#isClosed) return this.#removeAfterClose(removed)
    for (const sessionId of removed) this.forget(sessionId)
    this.#file.compactIfLarge(() => this.#source.countSessions())
  }

  #removeAfterClose(sessionIds: readonly string[]): void {
    if (sessionIds.length === 0 || this.#file.openedId() === undefined) return
    this.#file.appendSync(sessionIds.map((sessionId) => ({ kind: "removed", sessionId })))
    this.#file.close()
  }

  #records(sessionIds: Iterable<string>): readonly HeadRecord[] {
    return Array.from(sessionIds).flatMap((sessionId) => {
      const head = this.#source.headOf(sessionId)
      return head === undefined ? [] : [{ kind: "head", ...head }]
    })
  }

  /** Creates the file for a home that has none. A missing or invalid file is replaced; its `origin` says so. */
  #ensureFile(): boolean {
    const known = this.#source.knownFileId()
    const opened = this.#file.openedId()
    if (opened !== undefined && opened === known) return true
    if (opened === undefined) this.#file.create(this.#origin(known), this.#source.allHeads())
    const fileId = this.#file.openedId()
    if (fileId !== undefined) this.#source.rememberFileId(fileId)
    return fileId !== undefined
  }

  #origin(known: string | undefined) {
    if (this.#file.read().kind === "read") return "replaced-invalid"
    return known === undefined ? "new" : "replaced-missing"
  }

  #cancelTimers(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = undefined
    this.#immediate = undefined
  }

  #warnOnce(error: unknown): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#warn(`${this.#file.path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
