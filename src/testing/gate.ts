// A gate: whoever comes to it waits until it is opened. In a script (`{ gate }`) or in a tool it gives a test a stable
// moment in the middle of things: wait for `arrived`, look around, then `open`.

export interface Gate {
  /** Resolves when somebody stands at the gate for the first time. */
  readonly arrived: Promise<void>
  /** Resolves when the gate is open. */
  readonly passed: Promise<void>
  open(): void
  /** Waits until the gate is open; an abort ends the wait with its reason. */
  pass(signal?: AbortSignal): Promise<void>
}

export function gate(): Gate {
  const arrival = Promise.withResolvers<void>()
  const passage = Promise.withResolvers<void>()
  return {
    arrived: arrival.promise,
    passed: passage.promise,
    open: () => passage.resolve(),
    pass: async (signal) => {
      arrival.resolve()
      await (signal === undefined ? passage.promise : Promise.race([passage.promise, aborted(signal)]))
    },
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () =>
      reject(signal.reason instanceof Error ? signal.reason : new DOMException("Aborted.", "AbortError"))
    if (signal.aborted) fail()
    else signal.addEventListener("abort", fail, { once: true })
  })
}
