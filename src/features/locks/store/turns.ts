// Runs operations with the same name one after the other, and others at the same time.
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Begins at once if no operation of that name runs. */
  run<Value>(name: string, act: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(name)
    const turn = before === undefined ? act() : before.then(act, act)
    this.#last.set(name, turn)
    const end = () => {
      if (this.#last.get(name) === turn) this.#last.delete(name)
    }
    turn.then(end, end)
    return turn
  }
}
