// Whether a history of operations is linearizable: whether each operation can have had its effect at one instant between its
// invocation and its response, so that a sequential model gives the same answers (Wing and Gong's search; as in Porcupine,
// states that were visited with the same operations are not searched again). Pure.

export interface Model<State, Call> {
  readonly initial: State
  /** The states after the call, whose answer is part of it. Empty if the answer is impossible. */
  step(state: State, call: Call): readonly State[]
  /** Equal states have equal keys. */
  key(state: State): string
}

export interface Operation<Call> {
  readonly call: Call
  readonly invokedAt: number
  /** Undefined if no answer came: the operation may have its effect at any later time, or never. */
  readonly respondedAt: number | undefined
}

/** What may happen by itself within a time, any number of times, or not at all. */
export interface Possibility<Call> {
  readonly call: Call
  readonly from: number
  readonly until: number
}

export interface History<Call> {
  readonly operations: readonly Operation<Call>[]
  readonly possibilities: readonly Possibility<Call>[]
}

export type Verdict<Call> =
  | { readonly kind: "linearizable" }
  /** After `order`, the longest that is possible, nothing explains the answer of `stuck`. */
  | { readonly kind: "impossible"; readonly stuck: Operation<Call>; readonly order: readonly Call[] }

/** More states than this in one history are a fault of the proof: its histories are short. */
const MAX_STATES = 2_000_000

export function linearize<State, Call>(history: History<Call>, model: Model<State, Call>): Verdict<Call> {
  return new Search(history, model).run()
}

class Search<State, Call> {
  readonly #model: Model<State, Call>
  readonly #operations: readonly Operation<Call>[]
  readonly #possibilities: readonly Possibility<Call>[]
  readonly #visited = new Set<string>()
  readonly #isDone: boolean[]
  readonly #order: Call[] = []
  #longest: readonly Call[] = []
  #stuck: Operation<Call> | undefined
  #done = 0
  #mostDone = -1

  constructor({ operations, possibilities }: History<Call>, model: Model<State, Call>) {
    this.#model = model
    this.#operations = operations.toSorted((one, other) => one.invokedAt - other.invokedAt)
    this.#possibilities = possibilities
    this.#isDone = this.#operations.map(() => false)
  }

  run(): Verdict<Call> {
    if (this.#reachesEnd(this.#model.initial)) return { kind: "linearizable" }
    if (this.#stuck === undefined) throw new Error("a history without answers is linearizable")
    return { kind: "impossible", stuck: this.#stuck, order: this.#longest }
  }

  /** Whether the operations that are not done can follow this state. */
  #reachesEnd(state: State): boolean {
    const next = this.#nextAnswered()
    if (next === undefined) return true
    if (!this.#isNew(state)) return false
    this.#note(next)
    const limit = next.respondedAt ?? Infinity
    return this.#continuesWithOperation(state, limit) || this.#continuesWithPossibility(state, limit)
  }

  #continuesWithOperation(state: State, limit: number): boolean {
    for (const [index, { call, invokedAt }] of this.#operations.entries()) {
      if (invokedAt > limit) return false
      if (this.#isDone[index] === true) continue
      this.#isDone[index] = true
      this.#done += 1
      if (this.#follows(call, state)) return true
      this.#isDone[index] = false
      this.#done -= 1
    }
    return false
  }

  #continuesWithPossibility(state: State, limit: number): boolean {
    const now = this.#operations.findLast((_, index) => this.#isDone[index] === true)?.invokedAt ?? -Infinity
    return this.#possibilities.some(
      ({ call, from, until }) => from <= limit && until >= now && this.#follows(call, state),
    )
  }

  #follows(call: Call, state: State): boolean {
    this.#order.push(call)
    const isPossible = this.#model.step(state, call).some((next) => this.#reachesEnd(next))
    this.#order.pop()
    return isPossible
  }

  /** The operation whose answer came first; each that is done next was invoked before that. */
  #nextAnswered(): Operation<Call> | undefined {
    let first: Operation<Call> | undefined
    for (const [index, operation] of this.#operations.entries()) {
      if (this.#isDone[index] === true || operation.respondedAt === undefined) continue
      if (first?.respondedAt === undefined || operation.respondedAt < first.respondedAt) first = operation
    }
    return first
  }

  #isNew(state: State): boolean {
    const key = `${this.#isDone.map(Number).join("")} ${this.#model.key(state)}`
    if (this.#visited.has(key)) return false
    if (this.#visited.size >= MAX_STATES) throw new Error(`a history has more than ${MAX_STATES} states`)
    this.#visited.add(key)
    return true
  }

  #note(next: Operation<Call>): void {
    if (this.#done <= this.#mostDone) return
    this.#mostDone = this.#done
    this.#longest = [...this.#order]
    this.#stuck = next
  }
}
