// Diagnostics that a server publishes on its own, for the files that a check waits for. Others are not kept.
import type { JsonValue } from "../../contract/values.ts"
import type { Problem } from "./problems.ts"
import { orAborted, pause } from "./waiting.ts"

interface Expected {
  readonly version: number
  problems?: readonly Problem[]
}

export class PublishedProblems {
  readonly #expected = new Map<string, Expected>()
  #change = Promise.withResolvers<void>()

  /** `write` tells the server of the new text and returns its version. */
  expect(path: string, write: () => number): void {
    this.#expected.set(path, { version: write() })
  }

  /** Problems of an older version are dropped; many servers name none. */
  add(path: string, version: JsonValue | undefined, read: () => readonly Problem[]): void {
    const expected = this.#expected.get(path)
    if (expected === undefined || (typeof version === "number" && version < expected.version)) return
    expected.problems = read()
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Until every expected file has problems and none has changed for `settleMs`, or the signal is aborted. */
  async settled(settleMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const change = this.#change.promise.then(() => "changed" as const)
      const isComplete = [...this.#expected.values()].every(({ problems }) => problems !== undefined)
      if (!isComplete) await orAborted(change, signal)
      else if ((await Promise.race([change, pause(settleMs, signal)])) !== "changed") return
    }
  }

  /** What was found; nothing is expected afterwards. */
  take(): ReadonlyMap<string, readonly Problem[]> {
    const found = [...this.#expected].flatMap(([path, { problems }]) =>
      problems === undefined ? [] : [[path, problems] as const],
    )
    this.#expected.clear()
    return new Map(found)
  }
}
