/** Base class of all faults of the client libraries. Each sets `name` as a literal, so that it survives a minifier. */
export class Fault extends Error {
  override readonly name: string = "Fault"

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
  }
}

/** Anything can be thrown: what is no Error becomes a fault of the library. */
export function errorOf(value: unknown, Wrapper: new (message: string) => Error = Fault): Error {
  return value instanceof Error ? value : new Wrapper(String(value))
}
