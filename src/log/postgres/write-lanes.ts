// Appends and checkpoints of this process, in lanes: one batch at a time in each, every session always in the same one, so that
// its writes keep their order.
import type { SessionId } from "../../contract/ids.ts"
import { ok, refused, type Outcome } from "../event-log.ts"
import type { StoreCounters, LogDatabase } from "./log-database.ts"
import { InDoubt } from "./log-database.ts"
import { Batcher } from "./batcher.ts"
import { appendAll, type AppendRequest, type KnownHead } from "./append-batch.ts"
import { checkpointAll, type CheckpointRequest } from "./checkpoint-batch.ts"

type Write = ({ readonly kind: "append" } & AppendRequest) | ({ readonly kind: "checkpoint" } & CheckpointRequest)

/** While one batch waits for the disk of the server, the next one is prepared. */
const LANES = 2

function keyOf({ kind, sessionId }: Write): string {
  return `${kind} ${sessionId}`
}

export class WriteLanes {
  readonly #database: LogDatabase
  readonly #appended: StoreCounters["appended"] | undefined
  readonly #heads = new Map<string, KnownHead>()
  readonly #lanes: readonly Batcher<Write, Outcome<void>>[]

  constructor(database: LogDatabase, appended?: StoreCounters["appended"]) {
    this.#database = database
    this.#appended = appended
    const run = (writes: readonly Write[]) => this.#run(writes)
    this.#lanes = Array.from({ length: LANES }, () => new Batcher(run, keyOf))
  }

  async append(request: AppendRequest): Promise<Outcome<void>> {
    const start = performance.now()
    const outcome = await this.#laneOf(request.sessionId).send({ kind: "append", ...request })
    this.#appended?.(performance.now() - start)
    return outcome
  }

  checkpoint(request: CheckpointRequest): Promise<Outcome<void>> {
    return this.#laneOf(request.sessionId).send({ kind: "checkpoint", ...request })
  }

  noteHead(sessionId: SessionId, head: KnownHead): void {
    this.#heads.set(sessionId, head)
  }

  /** The session was released or another host may have written to it. */
  forgetHead(sessionId: SessionId): void {
    this.#heads.delete(sessionId)
  }

  #laneOf(sessionId: SessionId): Batcher<Write, Outcome<void>> {
    const [lane] = this.#lanes.slice(sessionId.charCodeAt(sessionId.length - 1) % LANES)
    if (lane === undefined) throw new Error("there is no lane")
    return lane
  }

  async #run(writes: readonly Write[]): Promise<readonly Outcome<void>[]> {
    const checkpoints = writes.filter((write) => write.kind === "checkpoint")
    const appends = writes.filter((write) => write.kind === "append")
    const answers = new Map<Write, Outcome<void>>()
    const [stored, appended] = [await this.#checkpoints(checkpoints), await this.#appends(appends)]
    for (const [index, write] of checkpoints.entries()) answers.set(write, stored[index] ?? ok(undefined))
    for (const [index, write] of appends.entries()) answers.set(write, appended[index] ?? ok(undefined))
    return writes.map((write) => answers.get(write) ?? ok(undefined))
  }

  async #appends(requests: readonly AppendRequest[]): Promise<readonly Outcome<void>[]> {
    if (requests.length === 0) return []
    try {
      const outcome = await this.#database.write(async (queries, isRepeat) =>
        ok(await appendAll(queries, requests, this.#heads, isRepeat)),
      )
      return outcome.kind === "ok" ? outcome.value : requests.map(() => outcome)
    } catch (fault) {
      if (!(fault instanceof InDoubt)) throw fault
      // It may be stored: the session is read again by its next owner.
      for (const { sessionId } of requests) this.#heads.delete(sessionId)
      return requests.map(({ sessionId }) => refused({ code: "log.fenced", sessionId }))
    }
  }

  async #checkpoints(requests: readonly CheckpointRequest[]): Promise<readonly Outcome<void>[]> {
    if (requests.length === 0) return []
    try {
      const outcome = await this.#database.write(async (queries) => ok(await checkpointAll(queries, requests)))
      return outcome.kind === "ok" ? outcome.value : requests.map(() => outcome)
    } catch (fault) {
      if (!(fault instanceof InDoubt)) throw fault
      return requests.map(() => refused({ code: "log.unavailable", what: fault.message }))
    }
  }
}
