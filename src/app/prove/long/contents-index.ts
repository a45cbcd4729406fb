// Finds what belongs to the context in the parts of a request.
import type { MarkRun } from "./marks.ts"
import type { RequestPart } from "./request-contents.ts"
import type { Unit } from "./units.ts"

/** `aged`: a note is in its place. `partial`: some of it is there. */
export type Presence = "whole" | "absent" | "aged" | "partial" | "doubled"

export class ContentsIndex {
  readonly #runs = new Map<string, MarkRun[]>()
  readonly #shells = new Map<string, number>()
  readonly #aged = new Set<string>()

  constructor(parts: readonly RequestPart[]) {
    for (const { marks, shells = [], callId, isAged } of parts) {
      for (const run of marks) this.#runs.set(run.name, [...(this.#runs.get(run.name) ?? []), run])
      for (const id of shells) this.#shells.set(id, (this.#shells.get(id) ?? 0) + 1)
      if (isAged === true && callId !== undefined) this.#aged.add(callId)
    }
  }

  presence({ marks: [wanted], shellId, callId, kind, isBounded }: Unit): Presence {
    if (shellId !== undefined) return times(this.#shells.get(shellId) ?? 0)
    if (wanted === undefined) return "absent"
    const runs = this.#runs.get(wanted.name) ?? []
    const [first, second] = runs
    if (first === undefined) return kind === "result" && this.#aged.has(callId ?? "") ? "aged" : "absent"
    if (runs.reduce((sum, { from, to }) => sum + to - from + 1, 0) > wanted.to + 1) return "doubled"
    const last = isBounded === true && runs.length === 2 ? second : first
    return first.from === 0 && last?.to === wanted.to && (last === first ? runs.length === 1 : true)
      ? "whole"
      : "partial"
  }
}

function times(count: number): Presence {
  if (count === 0) return "absent"
  return count === 1 ? "whole" : "doubled"
}
