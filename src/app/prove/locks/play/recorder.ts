// The history of one play: operations by group of locks that can conflict, with their times, and when which locks may have
// been taken from their holders.
import { renewEveryMs, staleAfterMs } from "../../../../features/locks/lock-table.ts"
import type { History, Operation, Possibility } from "../check/linearize.ts"
import type { LockCall } from "../check/lock-model.ts"

export interface Times {
  readonly invokedAt: number
  /** Undefined if the process died before its answer. */
  readonly respondedAt: number | undefined
}

export class Recorder {
  readonly #operations = new Map<string, Operation<LockCall>[]>()
  readonly #possibilities: Possibility<LockCall>[] = []

  constructor(groups: readonly string[]) {
    for (const group of groups) this.#operations.set(group, [])
  }

  get groups(): readonly string[] {
    return [...this.#operations.keys()]
  }

  get count(): number {
    return [...this.#operations.values()].reduce((sum, { length }) => sum + length, 0)
  }

  get fenced(): number {
    const calls = [...this.#operations.values()].flat().map(({ call }) => call)
    return calls.filter((call) => call.type === "stopped" || (call.type === "checked" && call.lost.length > 0)).length
  }

  add(group: string, call: LockCall, { invokedAt, respondedAt }: Times): void {
    this.#operations.get(group)?.push({ call, invokedAt, respondedAt })
  }

  /** What the process has may be taken away in this time. */
  mayExpire(process: string, what: "places" | "all", from: number, until: number): void {
    const who = { process, holder: "" }
    this.#possibilities.push({ call: { ...who, type: "expired", what }, from, until })
  }

  /** From then on its waiting calls request again if their places were taken away. A dead process never does. */
  mayQueueAgain(process: string, from: number): void {
    this.#possibilities.push({ call: { process, holder: "", type: "queued-again" }, from, until: Infinity })
  }

  historyOf(group: string): History<LockCall> {
    return { operations: this.#operations.get(group) ?? [], possibilities: this.#possibilities }
  }
}

/** When locks of a process that stood still may be taken: undefined if it was too short. Times of the stage. */
export function expiryOf(
  from: number,
  until: number,
  { speed, lateMs }: { readonly speed: number; readonly lateMs: number },
): { readonly from: number; readonly until: number } | undefined {
  const earliest = from + (staleAfterMs - renewEveryMs) / speed - lateMs
  const latest = until + lateMs
  return earliest > latest ? undefined : { from: earliest, until: latest }
}
