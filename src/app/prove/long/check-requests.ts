// Compares the requests that a provider got with the log: what belongs to the context of the model is in each request, or
// it was in a request for a summary before it disappeared. Nothing is there twice, and all is in the order of the log.
import type { History } from "../crash/check-history.ts"
import type { Report } from "../violation.ts"
import { ContentsIndex } from "./contents-index.ts"
import { textPart, type RequestContents, type RequestPart } from "./request-contents.ts"
import { stepsByMark, unitsOf, type SaidIn, type Unit } from "./units.ts"

export type SeenRequest =
  /** Of a step. `said`: the marks of its answer; undefined if it was refused. */
  | { readonly kind: "step"; readonly contents: RequestContents; readonly said: string | undefined }
  /** For a summary, that was answered. A message that is divided goes on in the next one with `[continued]`. */
  | { readonly kind: "summary"; readonly text: string }

interface Checked {
  readonly index: ContentsIndex
  readonly step: SaidIn
  /** `request 12`. */
  readonly name: string
}

/** Returns how many texts of events it has looked for. */
export function checkRequests(requests: readonly SeenRequest[], history: History, report: Report): number {
  const check = new RequestCheck(history, report)
  for (const [at, request] of requests.entries()) {
    if (request.kind === "summary") check.takeSummary(request.text)
    else check.takeStep(request.contents, requests.slice(at), `request ${at + 1}`)
  }
  return check.found
}

class RequestCheck {
  found = 0
  readonly #report: Report
  readonly #said: ReadonlyMap<string, SaidIn>
  /** By mark, of what has a place in the order of messages. */
  readonly #places: ReadonlyMap<string, Unit>
  /** Not stored yet when the newest request was made. */
  #later: readonly Unit[]
  /** To be in the next request. */
  #live: readonly Unit[] = []
  /** Those that were in a request for a summary, whole. */
  readonly #summarised = new Set<Unit>()
  /** Of requests for summaries since the newest request of a step. */
  #summaries: string[] = []

  constructor(history: History, report: Report) {
    this.#report = report
    this.#said = stepsByMark(history)
    this.#later = unitsOf(history).filter(({ marks, shellId }) => marks.length > 0 || shellId !== undefined)
    const placed = this.#later.filter(({ kind }) => kind === "prompt" || kind === "text" || kind === "call")
    this.#places = new Map(placed.map((unit) => [nameOf(unit), unit]))
  }

  takeSummary(text: string): void {
    this.#summaries.push(text)
  }

  /** `later`: this request and those after it. */
  takeStep({ parts, misfit }: RequestContents, later: readonly SeenRequest[], name: string): void {
    if (misfit !== undefined) this.#report("broken", "tool.called", `${name}: ${misfit}`)
    const isAnswered = later[0]?.kind === "step" && later[0].said !== undefined
    const step = this.#stepOf(later)
    if (step === undefined) return
    this.#advance(step, isAnswered)
    const checked = { index: new ContentsIndex(parts), step, name }
    this.#live = this.#live.filter((unit) => this.#isStill(unit, checked))
    const live = new Set(this.#live)
    for (const unit of this.#summarised) if (!live.has(unit)) this.#expectGone(unit, checked)
    this.#expectOrder(parts, name)
  }

  /** A request that was refused is for the step of the next one that was answered. */
  #stepOf(later: readonly SeenRequest[]): SaidIn | undefined {
    const answered = later.find((one) => one.kind === "step" && one.said !== undefined)
    const mark = answered?.kind === "step" ? answered.said : undefined
    const step = mark === undefined ? undefined : this.#said.get(mark)
    if (mark !== undefined && step === undefined)
      this.#report("lost", "text.ended", `the model said "${mark}", and no event of the session has it`)
    return step
  }

  /** Adds what was stored before the request. The summary of a compaction in the step is stored after its start. */
  #advance({ startedAt, seq }: SaidIn, isAnswered: boolean): void {
    const isStored = (unit: Unit) => unit.seq < (unit.kind === "summary" && isAnswered ? seq : startedAt)
    const added = this.#later.filter(isStored)
    this.found += added.length
    this.#live = [...this.#live, ...added]
    this.#later = this.#later.filter((unit) => !isStored(unit))
    const summarised = this.#summaries.join("\n").replaceAll("\n[continued] ", "")
    const summaries = new ContentsIndex([textPart(summarised)])
    this.#summaries = []
    for (const unit of this.#live) {
      const presence = summaries.presence(unit)
      if (presence === "doubled") this.#report("doubled", unit.event, `${described(unit)} was summarised twice at once`)
      if (presence === "whole" || presence === "doubled") this.#summarised.add(unit)
    }
  }

  #isStill(unit: Unit, { index, step, name }: Checked): boolean {
    const presence = index.presence(unit)
    const isKept = unit.kind === "prompt" && unit.turnId === step.turnId
    const wasSummarised = this.#summarised.has(unit)
    if (presence === "doubled") this.#report("doubled", unit.event, `${name} has ${described(unit)} twice`)
    if (presence === "partial") this.#report("lost", unit.event, `${name} has only a part of ${described(unit)}`)
    if (presence === "absent" && isKept)
      this.#report("lost", unit.event, `${name} is of its turn, and does not have ${described(unit)}`)
    if (presence === "absent" && !wasSummarised)
      this.#report("lost", unit.event, `${name} does not have ${described(unit)}, nor had a request for a summary`)
    if (presence !== "absent" && wasSummarised && unit.kind !== "prompt")
      // prompts may stay beside their summary
      this.#report("doubled", unit.event, `${name} has ${described(unit)}, which a summary has replaced`)
    return presence !== "absent"
  }

  #expectGone(unit: Unit, { index, name }: Checked): void {
    if (index.presence(unit) !== "absent")
      this.#report("doubled", unit.event, `${name} has ${described(unit)} again, which a summary has replaced`)
  }

  #expectOrder(parts: readonly RequestPart[], name: string): void {
    let newest: Unit | undefined
    for (const { name: mark } of parts.flatMap(({ kind, marks }) => (kind === "result" ? [] : marks))) {
      const unit = this.#places.get(mark)
      if (unit === undefined) continue
      if (newest !== undefined && unit.seq < newest.seq)
        return this.#report("broken", unit.event, `${name} has ${described(unit)} behind ${described(newest)}`)
      newest = unit
    }
  }
}

function nameOf({ marks }: Unit): string {
  return marks[0]?.name ?? ""
}

function described(unit: Unit): string {
  return `the ${unit.kind} "${unit.shellId ?? nameOf(unit)}" of event ${unit.seq}`
}
