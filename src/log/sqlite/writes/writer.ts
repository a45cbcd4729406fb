// Group commit: one transaction takes all that waits, is committed with a full sync, and answers all. Knows nothing of
// threads. The invariant: nothing is answered with "done" unless a commit that holds it has succeeded.
//
// When a commit fails nobody knows what reached the disk, and a sync that failed once may pretend to succeed the next
// time. So the database is closed and opened again, everything in its write-ahead log is written and synced anew, and
// each request is run once more on its own: what is there counts, what is not is stored, what fails again is refused.
import { refused } from "../../event-log.ts"
import { Connection, type Database } from "../connection.ts"
import { isBusy, isDamagedSession, isOfThisRequest, LogUnavailable, messageOf, unavailable } from "../faults.ts"
import { changeRole, claim, register, release, releaseHost, renew } from "./ownership-writes.ts"
import { append, checkpoint, create, remove, saveSnapshot } from "./session-writes.ts"
import { Upkeep, type UpkeepOptions } from "./upkeep.ts"
import type { WriteAnswer, WriteRequest } from "./write-request.ts"

export interface WriterOptions extends Partial<Omit<UpkeepOptions, "path">> {
  /** Named in refusals. */
  readonly path: string
  readonly open: () => Database
}

export class Writer {
  readonly connection: Connection
  readonly #path: string
  readonly #upkeep: Upkeep
  #isInDoubt = false

  constructor({ path, open, headKey, warn = () => {}, checkpoints = false }: WriterOptions) {
    this.#path = path
    this.connection = new Connection(open)
    this.#upkeep = new Upkeep(this.connection, { path, headKey, warn, checkpoints })
  }

  /** `repeated` were sent before, to a writer that may have stored them and was killed before it answered. */
  commit(requests: readonly WriteRequest[], repeated: ReadonlySet<WriteRequest> = new Set()): readonly WriteAnswer[] {
    try {
      return this.#transaction(requests, (request) => repeated.has(request))
    } catch (error) {
      this.#discard(error)
      const refusal = unavailable(error, this.#path)
      if (isBusy(error) || error instanceof LogUnavailable) return requests.map(() => refused(refusal))
      return this.#oneByOne(requests)
    }
  }

  close(): void {
    this.#upkeep.close()
    this.connection.close()
  }

  #oneByOne(requests: readonly WriteRequest[]): readonly WriteAnswer[] {
    const answers: WriteAnswer[] = []
    for (const request of requests) {
      try {
        answers.push(...this.#transaction([request], () => true))
      } catch (error) {
        this.#discard(error)
        answers.push(this.#refuse(request, error))
        if (isOfThisRequest(error)) continue
        const refusal = unavailable(error, this.#path)
        return [...answers, ...requests.slice(answers.length).map(() => refused(refusal))]
      }
    }
    return answers
  }

  #transaction(
    requests: readonly WriteRequest[],
    isRepeated: (request: WriteRequest) => boolean,
  ): readonly WriteAnswer[] {
    this.#settle()
    this.#upkeep.beforeCommit(requests)
    this.connection.exec("begin immediate")
    const answers = requests.map((request) => perform(this.connection, request, isRepeated(request)))
    this.connection.exec("commit")
    this.#upkeep.afterCommit(requests, answers)
    return answers
  }

  /** A lock that was not got is the one failure that leaves no doubt: nothing was written. */
  #discard(error: unknown): void {
    this.#isInDoubt ||= !isBusy(error)
    this.connection.discard()
  }

  #settle(): void {
    if (!this.#isInDoubt) return
    const result = this.connection.sql("pragma wal_checkpoint(full)").get()
    if (result?.["busy"] !== 0) throw new LogUnavailable(`${this.#path} is in use and cannot be synced after a failure`)
    this.#isInDoubt = false
  }

  #refuse(request: WriteRequest, error: unknown): WriteAnswer {
    if (!isDamagedSession(error) || !("sessionId" in request)) return refused(unavailable(error, this.#path))
    const seq = "expectedSeq" in request ? request.expectedSeq : 0
    return refused({ code: "session.damaged", sessionId: request.sessionId, seq, what: messageOf(error) })
  }
}

function perform(connection: Connection, request: WriteRequest, again: boolean): WriteAnswer {
  switch (request.kind) {
    case "register":
      return register(connection, request)
    case "change-role":
      return changeRole(connection, request)
    case "renew":
      return renew(connection, request)
    case "release-host":
      return releaseHost(connection, request)
    case "create":
      return create(connection, request, again)
    case "claim":
      return claim(connection, request)
    case "release":
      return release(connection, request)
    case "append":
      return append(connection, request, again)
    case "checkpoint":
      return checkpoint(connection, request, again)
    case "snapshot":
      return saveSnapshot(connection, request)
    case "remove":
      return remove(connection, request, again)
  }
}
