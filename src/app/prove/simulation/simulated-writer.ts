// The log writer of a home as a simulated process: real requests and the real writer on a database in memory, with a way
// to it that takes time, commits that take time, and a memory that is lost when the process dies.
import { refused } from "../../../log/event-log.ts"
import { openEmpty } from "../../../log/sqlite/read-only.ts"
import type { WritePort, WriteAnswer, WriteRequest } from "../../../log/sqlite/writes/write-request.ts"
import { Writer } from "../../../log/sqlite/writes/writer.ts"
import { SimulatedProcess, type Scheduler, type Task } from "./scheduler.ts"

interface Pending {
  readonly request: WriteRequest
  readonly host: SimulatedProcess
  readonly answer: (answer: WriteAnswer) => void
  readonly fail: (fault: unknown) => void
  /** Number of writers to which it was sent. */
  sent: number
  arrival: Task | undefined
}

/** What the faults of a session see of the writer. `stop` means that a process has died: nothing goes on. */
export interface WriterObserver {
  /** The request has reached the writer and nothing of it is stored. */
  beforeCommit(request: WriteRequest, host: SimulatedProcess): "continue" | "stop"
  /** It is stored or refused, and the host does not know. */
  afterCommit(request: WriteRequest, answer: WriteAnswer, host: SimulatedProcess): void
}

export class SimulatedWriter {
  readonly #scheduler: Scheduler
  readonly #disk: SimulatedDisk
  readonly #observer: WriterObserver
  #process = new SimulatedProcess("writer")
  #queue: Pending[] = []
  readonly #unanswered = new Set<Pending>()
  #isCommitPlanned = false
  /** Nothing can be stored: the disk is full. */
  isFull = false

  constructor(scheduler: Scheduler, disk: SimulatedDisk, observer: WriterObserver) {
    this.#scheduler = scheduler
    this.#disk = disk
    this.#observer = observer
  }

  portOf(host: SimulatedProcess): WritePort {
    return {
      send: (request) =>
        new Promise((answer, fail) => {
          if (host.state === "dead") return // it has died in the middle of what it is doing
          const pending = { request, host, answer, fail, sent: 0, arrival: undefined }
          this.#unanswered.add(pending)
          this.#send(pending)
        }),
      prepare: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }
  }

  /** What waits is lost with the process; the hosts send it again to the next one. */
  crash(): void {
    this.#scheduler.kill(this.#process)
    this.#process = new SimulatedProcess("writer")
    this.#queue = []
    this.#isCommitPlanned = false
    for (const pending of this.#unanswered) {
      if (pending.arrival !== undefined) pending.arrival.isCancelled = true
      if (pending.host.state === "dead") this.#unanswered.delete(pending)
      else this.#send(pending, this.#scheduler.between(5, 40))
    }
  }

  #send(pending: Pending, delayMs = this.#scheduler.between(0.02, 0.4)): void {
    pending.arrival = this.#scheduler.schedule(delayMs, () => this.#receive(pending), this.#process)
  }

  /** Requests that arrive before the commit share it. */
  #receive(pending: Pending): void {
    pending.sent += 1
    this.#queue.push(pending)
    if (this.#isCommitPlanned) return
    this.#isCommitPlanned = true
    this.#scheduler.schedule(this.#scheduler.between(0.1, 2), () => this.#commit(), this.#process)
  }

  #commit(): void {
    for (const { request, host } of this.#queue) if (this.#observer.beforeCommit(request, host) === "stop") return
    this.#isCommitPlanned = false
    const batch = this.#queue
    this.#queue = []
    const answers = this.isFull ? batch.map(({ request }) => fullDisk(request)) : this.#disk.commit(batch)
    for (const [index, { request, host }] of batch.entries()) {
      const answer = answers[index]
      if (answer !== undefined) this.#observer.afterCommit(request, answer, host)
    }
    for (const [index, pending] of batch.entries()) this.#answer(pending, answers[index])
  }

  /** A writer that dies now takes its answer with it. */
  #answer(pending: Pending, answer: WriteAnswer | undefined): void {
    if (answer === undefined || !this.#unanswered.has(pending)) return
    const deliver = () => {
      this.#unanswered.delete(pending)
      pending.answer(answer)
    }
    pending.arrival = this.#scheduler.schedule(this.#scheduler.between(0.02, 0.4), deliver, pending.host)
  }
}

/** The real writer on a database in memory, emptied for each session. Commits are atomic; what was not committed is lost. */
export class SimulatedDisk {
  readonly writer = new Writer({ path: ":memory:", open: openEmpty })

  get connection() {
    return this.writer.connection
  }

  commit(batch: readonly { readonly request: WriteRequest; readonly sent: number }[]): readonly WriteAnswer[] {
    const repeated = new Set(batch.filter(({ sent }) => sent > 1).map(({ request }) => request))
    return this.writer.commit(
      batch.map(({ request }) => request),
      repeated,
    )
  }

  erase(): void {
    this.connection.exec(
      "delete from hosts; delete from sessions; delete from events; delete from snapshots; delete from streamed; delete from visits; delete from sqlite_sequence",
    )
  }
}

function fullDisk(request: WriteRequest): WriteAnswer {
  return refused({ code: "log.unavailable", what: `no space is left on the disk for a ${request.kind}` })
}
