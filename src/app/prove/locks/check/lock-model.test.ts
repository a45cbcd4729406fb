// Histories of locks that are possible, and hand-made ones that are not.
import { describe, expect, it } from "vitest"
import type { LockRequest } from "../../../../features/locks/conflicts.ts"
import { Recorder } from "../play/recorder.ts"
import { checkLocks } from "./check-locks.ts"
import type { LockCall } from "./lock-model.ts"

const group = "/p"
const build: LockRequest = { kind: "build", scope: group }
const below: LockRequest = { kind: "build", scope: `${group}/below` }
const test: LockRequest = { kind: "test", scope: group }

const who = (name: string) => ({ process: name, holder: name })
const granted = (name: string, fence: number, lock = build): LockCall => {
  return { ...who(name), type: "granted", requests: [lock], locks: [{ ...lock, fence }] }
}
const refused = (name: string, by: string, lock = build): LockCall => {
  return { ...who(name), type: "refused", requests: [lock], by }
}
const queued = (name: string, by: string): LockCall => ({ ...who(name), type: "queued", requests: [build], by })
const released = (name: string, wasHeld = true): LockCall => ({ ...who(name), type: "released", lock: build, wasHeld })
const checked = (name: string, fence: number, lost: readonly number[]): LockCall => {
  return { ...who(name), type: "checked", fences: [fence], lost }
}
const used = (name: string, type: "acted" | "stopped", fence: number): LockCall => ({
  ...who(name),
  type,
  fences: [fence],
})
const listed = (held: readonly number[], waiting: readonly string[]): LockCall => {
  return { ...who("reader"), type: "listed", held, waiting }
}

interface Played {
  /** One after the other, unless they have times. */
  readonly calls: readonly (LockCall | readonly [LockCall, number, number | undefined])[]
  readonly mayExpire?: readonly [string, number, number]
  readonly effects?: readonly number[]
}

function violationsOf({ calls, mayExpire, effects = [] }: Played): readonly string[] {
  const recorder = new Recorder([group])
  for (const [index, one] of calls.entries()) {
    const [call, invokedAt, respondedAt] = "type" in one ? ([one, 10 * index, 10 * index + 5] as const) : one
    recorder.add(group, call, { invokedAt, respondedAt })
  }
  if (mayExpire !== undefined) recorder.mayExpire(mayExpire[0], "all", mayExpire[1], mayExpire[2])
  const found: string[] = []
  const played = { recorder, hasCertainFiles: true, effects: new Map([["build:/p", effects]]) }
  checkLocks(played, (kind, event) => void found.push(`${kind} at ${event}`))
  return found
}

describe("a history of locks is possible", () => {
  it.each<readonly [string, Played]>([
    [
      "when one holder follows the other",
      { calls: [granted("a", 1), refused("b", "a"), released("a"), granted("b", 2)] },
    ],
    ["when a holder requests its lock again", { calls: [granted("a", 1), granted("a", 1), released("a")] }],
    ["with locks that do not conflict", { calls: [granted("a", 1), granted("b", 2, test)] }],
    [
      "when a grant and the release before it overlap",
      { calls: [granted("a", 1), [released("a"), 20, 90], [granted("b", 2), 30, 40], [granted("c", 3, test), 50, 60]] },
    ],
    [
      "when a holder without renewal loses its lock, and learns of it",
      {
        calls: [granted("a", 1), granted("b", 2), checked("a", 1, [1]), used("a", "stopped", 1), used("b", "acted", 2)],
        mayExpire: ["a", 7, 90],
        effects: [2],
      },
    ],
    [
      "when waiters get the lock in their order",
      {
        calls: [
          granted("a", 1),
          queued("b", "a"),
          queued("c", "a"),
          listed([1], ["b", "c"]),
          released("a"),
          granted("b", 2),
          released("b"),
          granted("c", 3),
        ],
      },
    ],
    [
      "when a process that died without an answer had been granted the lock",
      {
        calls: [
          [{ ...who("a"), type: "requested", requests: [build], canQueue: false }, 0, undefined],
          [refused("b", "a"), 10, 20],
        ],
      },
    ],
  ])("%s", (_, played) => {
    expect(violationsOf(played)).toEqual([])
  })
})

describe("a history of locks is impossible", () => {
  it.each<readonly [string, Played, string]>([
    ["when two hold the same lock", { calls: [granted("a", 1), granted("b", 2)] }, "doubled at lock.granted"],
    [
      "when two hold a folder and one in it",
      { calls: [granted("a", 1, below), granted("b", 2)] },
      "doubled at lock.granted",
    ],
    [
      "when a lock expires before its time",
      { calls: [granted("a", 1), granted("b", 2)], mayExpire: ["a", 20, 90] },
      "doubled at lock.granted",
    ],
    ["when a number falls", { calls: [granted("a", 2), released("a"), granted("b", 1)] }, "doubled at lock.granted"],
    ["when a refusal names one that does not hold it", { calls: [refused("b", "a")] }, "broken at lock.refused"],
    ["when a held lock is not released", { calls: [granted("a", 1), released("a", false)] }, "broken at lock.released"],
    [
      "when the second waiter is first",
      { calls: [granted("a", 1), queued("b", "a"), queued("c", "a"), released("a"), granted("c", 2)] },
      "doubled at lock.granted",
    ],
    [
      "when a tool acts after its lock was taken",
      { calls: [granted("a", 1), granted("b", 2), used("a", "acted", 1)], mayExpire: ["a", 0, 90], effects: [1] },
      "doubled at lock.acted",
    ],
    [
      "when a loss is not noticed",
      { calls: [granted("a", 1), released("a"), checked("a", 1, [])] },
      "broken at lock.checked",
    ],
    ["when a list lacks a holder", { calls: [granted("a", 1), listed([], [])] }, "broken at lock.listed"],
    ["when effects are out of order", { calls: [], effects: [1, 3, 2] }, "doubled at lock.acted"],
  ])("%s", (_, played, violation) => {
    expect(violationsOf(played)).toContain(violation)
  })
})
