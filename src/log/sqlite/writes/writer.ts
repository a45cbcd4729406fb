// Group commit: all waiting requests share one transaction with a full sync. Invariant: a request is answered with "done"
// only after a commit that contains it has succeeded.
//
// After a failed commit it is unknown what reached the disk, and a sync that failed once may falsely succeed the next
// time. So the database is closed and opened again, its write-ahead log is written and synced again, and each request is
// run once more on its own: what is stored counts as done, what is not is stored, what fails again is refused.
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

  /** `repeated` were sent before, to a writer that may have stored them and ended without an answer. */
  commit(requests: readonly WriteRequest[], repeated: ReadonlySet<WriteRequest> = new Set()): readonly WriteAnswer[] {
    try {
      return this.#transaction(requests, (request) => repeated.has(request))
    } catch (error) {
      this.#discard(error)
      const refusal = unavailable(error, this.#path)
      if (isBusy(error) || error instanceof LogUnavailable) return requests.map(() => refused(refusal))
      return this.#commitEach(requests)
    }
  }

  close(): void {
    this.#upkeep.close()
    this.connection.close()
  }

  #commitEach(requests: readonly WriteRequest[]): readonly WriteAnswer[] {
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

  /** Only a failure to get the lock is certain: nothing was written. */
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

type Requests = { [Request in WriteRequest as Request["kind"]]: Request }
type Writes = {
  [Kind in keyof Requests]: (connection: Connection, request: Requests[Kind], isRepeat: boolean) => WriteAnswer
}

const writes: Writes = {
  register,
  "change-role": changeRole,
  renew,
  "release-host": releaseHost,
  create,
  claim,
  release,
  append,
  checkpoint,
  snapshot: saveSnapshot,
  remove,
}

function perform<Kind extends keyof Requests>(
  connection: Connection,
  request: Requests[Kind] & { readonly kind: Kind },
  isRepeat: boolean,
): WriteAnswer {
  return writes[request.kind](connection, request, isRepeat)
}
