// The checks of one history of locks: each group of locks is linearizable, every number was given once and they rise, and
// tools have acted in the order of their numbers.
import type { Report } from "../../violation.ts"
import type { Recorder } from "../play/recorder.ts"
import { linearize } from "./linearize.ts"
import { lockModel, type LockCall } from "./lock-model.ts"

export interface PlayedLocks {
  readonly recorder: Recorder
  readonly hasCertainFiles: boolean
  readonly effects: ReadonlyMap<string, readonly number[]>
}

export function checkLocks({ recorder, hasCertainFiles, effects }: PlayedLocks, report: Report): void {
  for (const group of recorder.groups) checkGroup(recorder, group, hasCertainFiles, report)
  checkNumbers(recorder, report)
  for (const [id, fences] of effects) checkEffects(id, fences, report)
}

function checkGroup(recorder: Recorder, group: string, hasCertainFiles: boolean, report: Report): void {
  const verdict = linearize(recorder.historyOf(group), lockModel(hasCertainFiles))
  if (verdict.kind === "linearizable") return
  const { call, invokedAt, respondedAt } = verdict.stuck
  const before = verdict.order.slice(-4).map(describeCall).join("; ")
  const isDoubled = call.type === "granted" || call.type === "acted"
  const what = `${describeCall(call)} (${round(invokedAt)} to ${round(respondedAt)} ms) is impossible after ${before}`
  report(isDoubled ? "doubled" : "broken", `lock.${call.type}`, what)
}

/** Across all groups: a grant that was answered before another one was requested has the lower number. */
function checkNumbers(recorder: Recorder, report: Report): void {
  const grants = recorder.groups.flatMap((group) =>
    recorder
      .historyOf(group)
      .operations.flatMap(({ call, invokedAt, respondedAt }) =>
        call.type === "granted" ? call.locks.map((lock) => ({ ...lock, ...call, invokedAt, respondedAt })) : [],
      ),
  )
  const owners = new Map<number, string>()
  for (const { fence, kind, scope, process, holder } of grants) {
    const owner = JSON.stringify([kind, scope, process, holder])
    const first = owners.get(fence) ?? owner
    owners.set(fence, owner)
    if (first !== owner) report("doubled", "lock.granted", `the number ${fence} was given to ${first} and to ${owner}`)
  }
}

function checkEffects(id: string, fences: readonly number[], report: Report): void {
  const at = fences.findIndex((fence, index) => fence < (fences[index - 1] ?? 0))
  if (at < 0) return
  report("doubled", "lock.acted", `a tool acted on ${id} with number ${fences[at]} after number ${fences[at - 1]} had`)
}

function describeCall(call: LockCall): string {
  const { type, process, holder, ...facts } = call
  return `'${type}' of ${holder === "" ? process : holder} ${JSON.stringify(facts)}`
}

function round(ms: number | undefined): string {
  return ms === undefined ? "?" : ms.toFixed(0)
}
