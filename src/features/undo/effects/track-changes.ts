// Records the state of the folder around calls that can change files: before the first one of a turn, and after each that
// no other one follows at once. That state is recorded while the model answers; a call waits only for the state before it.
import type { TurnId } from "../../../contract/ids.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { FileHistory, TurnPlace } from "../store/file-history.ts"

export interface TrackedCall {
  /** To be called when the call and its processes have ended. */
  end(): void
}

/** After the end of a call: one of the same turn that begins sooner records the state after itself instead. */
const QUIET_MS = 50

const untracked: TrackedCall = { end: () => {} }
const trackers = new WeakMap<SessionContext, ChangeTracker>()

/** Resolves when the state before the call is recorded. `files`: what the tool says it will change. */
export async function trackCall(session: SessionContext, tool: Tool, files: readonly string[]): Promise<TrackedCall> {
  const { fileHistory, service } = session.services
  const { created, turn } = session.state
  const isChild = created?.parent !== undefined // what it changes belongs to the turn of its root
  if (fileHistory === undefined || service !== undefined || isChild || turn === undefined) return untracked
  if (tool.class === "read") return untracked
  const tracker = trackers.get(session) ?? new ChangeTracker(session, await fileHistory.load())
  trackers.set(session, tracker)
  return tracker.begin(turn.id, created?.cwd ?? process.cwd(), files)
}

/** Resolves when nothing is left to record. */
export async function changesRecorded(session: SessionContext): Promise<void> {
  await trackers.get(session)?.recorded()
}

/** Resolves when no call runs that can change files, also none that was interrupted and is still ending. */
export async function callsEnded(session: SessionContext): Promise<void> {
  await trackers.get(session)?.ended()
}

/** The state after a call, which is not being recorded yet. */
interface ScheduledRecord {
  readonly place: TurnPlace
  readonly timer: NodeJS.Timeout
  /** Resolves when it is being recorded, or will not be. */
  readonly isOver: PromiseWithResolvers<void>
}

class ChangeTracker {
  readonly #session: SessionContext
  readonly #history: FileHistory
  #turnId: TurnId | undefined
  #running = 0
  #scheduled: ScheduledRecord | undefined
  #lastEnd = Promise.withResolvers<void>()
  #tail: Promise<void> = Promise.resolve()

  constructor(session: SessionContext, history: FileHistory) {
    this.#session = session
    this.#history = history
  }

  async begin(turnId: TurnId, cwd: string, files: readonly string[]): Promise<TrackedCall> {
    const place = { sessionId: this.#session.id, turnId, cwd }
    if (this.#scheduled?.place.turnId === turnId) this.#unschedule()
    else this.#recordNow()
    if (this.#turnId !== turnId) {
      this.#turnId = turnId
      this.#enqueue(async () => this.#recordBefore(place))
    }
    if (files.length > 0) this.#enqueue(() => this.#history.keepFiles(place, files))
    await this.#tail
    if (this.#running === 0) this.#lastEnd = Promise.withResolvers<void>()
    this.#running += 1
    return { end: () => this.#end(place, files) }
  }

  async recorded(): Promise<void> {
    await this.#scheduled?.isOver.promise
    await this.#tail
  }

  async ended(): Promise<void> {
    if (this.#running > 0) await this.#lastEnd.promise
    this.#recordNow()
    await this.#tail
  }

  #end(place: TurnPlace, files: readonly string[]): void {
    this.#running -= 1
    if (files.length > 0) this.#enqueue(() => this.#history.noteFiles(place, files))
    if (this.#running > 0) return // the last of them records the state
    this.#unschedule()
    const timer = setTimeout(() => this.#recordNow(), QUIET_MS)
    this.#scheduled = { place, timer, isOver: Promise.withResolvers() }
    this.#lastEnd.resolve()
  }

  /** What is scheduled, without waiting for another call. */
  #recordNow(): void {
    const place = this.#unschedule()
    if (place !== undefined) this.#enqueue(() => this.#history.after(place))
  }

  #unschedule(): TurnPlace | undefined {
    const scheduled = this.#scheduled
    this.#scheduled = undefined
    clearTimeout(scheduled?.timer)
    scheduled?.isOver.resolve()
    return scheduled?.place
  }

  async #recordBefore(place: TurnPlace): Promise<void> {
    const { problem } = await this.#history.before(place)
    if (problem !== undefined)
      this.#session.warn(`No snapshot for undo: ${problem}. Undo can revert only files that tools wrote themselves.`)
  }

  /** A failure must not stop the call: undo then says what it cannot revert. */
  #enqueue(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch((fault: unknown) => {
      this.#session.warn(`The state of the folder was not recorded for undo: ${String(fault)}`)
    })
  }
}
