// A value that is made when it is first needed, once.
export class Lazy<Value> {
  readonly #make: () => Promise<Value>
  #value: Promise<Value> | undefined

  constructor(make: () => Promise<Value>) {
    this.#make = make
  }

  load(): Promise<Value> {
    return (this.#value ??= this.#make())
  }

  /** Nothing where it was not needed so far. */
  get loaded(): Promise<Value> | undefined {
    return this.#value
  }
}
