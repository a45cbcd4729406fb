// Work after an acknowledged commit: records the newest events outside the database, and checkpoints the write-ahead log
// when the writer is idle, so that little data exists only there.
import { HeadFile, headFilePath } from "../../heads/head-file.ts"
import { HeadRecorder } from "../../heads/head-recorder.ts"
import { busyMs, type Connection } from "../connection.ts"
import { messageOf } from "../faults.ts"
import { headSource } from "../head-source.ts"
import type { WriteAnswer, WriteRequest } from "./write-request.ts"

export interface UpkeepOptions {
  readonly path: string
  /** Authenticates the records; without it none are kept. */
  readonly headKey: Uint8Array | undefined
  /** Called if records cannot be written; they are retried. */
  readonly warn: (message: string) => void
  /** Off where a checkpoint would block an event loop that does other work. */
  readonly checkpoints: boolean
}

/** Time without new events after which a checkpoint is made. */
const idleMs = 250

const turnEnd = '"type":"turn.ended"' // quotes inside texts are escaped, so only a field matches

export class Upkeep {
  readonly #connection: Connection
  readonly #recorder: HeadRecorder | undefined
  readonly #checkpoints: boolean
  readonly #warn: (message: string) => void
  #idle: NodeJS.Timeout | undefined

  constructor(connection: Connection, { path, headKey, warn, checkpoints }: UpkeepOptions) {
    this.#connection = connection
    this.#warn = warn
    this.#checkpoints = checkpoints
    const file = headKey === undefined ? undefined : new HeadFile(headFilePath(path), headKey)
    this.#recorder = file && new HeadRecorder(file, headSource(connection), warn)
  }

  /** Call outside of a transaction. */
  beforeCommit(requests: readonly WriteRequest[]): void {
    for (const request of requests) if (request.kind === "remove") this.#recorder?.forget(request.sessionId)
  }

  afterCommit(requests: readonly WriteRequest[], answers: readonly WriteAnswer[]): void {
    let hasEvents = false
    for (const [index, request] of requests.entries()) {
      if (answers[index]?.kind !== "done" || (request.kind !== "append" && request.kind !== "create")) continue
      hasEvents = true
      this.#recorder?.note(
        request.sessionId,
        request.lines.some((line) => line.includes(turnEnd)),
      )
    }
    if (hasEvents) this.#awaitIdle()
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#recorder?.close()
  }

  #awaitIdle(): void {
    if (!this.#checkpoints) return
    this.#idle ??= setTimeout(() => this.#checkpoint(), idleMs).unref()
    this.#idle.refresh()
  }

  /** Does not wait for readers; the next checkpoint does the rest. */
  #checkpoint(): void {
    this.#idle = undefined
    try {
      this.#connection.exec("pragma busy_timeout = 0")
      this.#connection.exec("pragma wal_checkpoint(truncate)")
      this.#connection.exec(`pragma busy_timeout = ${busyMs}`)
    } catch (error) {
      this.#connection.discard()
      this.#warn(`the log could not be checkpointed: ${messageOf(error)}`)
    }
  }
}
