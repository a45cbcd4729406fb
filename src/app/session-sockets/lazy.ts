// A value that is created once, when it is first needed.
export class Lazy<Value> {
  readonly #make: () => Promise<Value>
  #value: Promise<Value> | undefined

  constructor(make: () => Promise<Value>) {
    this.#make = make
  }

  load(): Promise<Value> {
    return (this.#value ??= this.#make())
  }

  /** Nothing if it was not needed yet. */
  get loaded(): Promise<Value> | undefined {
    return this.#value
  }
}
