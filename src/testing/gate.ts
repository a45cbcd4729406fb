// A gate at which a scripted model (`{ gate }`) or a tool waits until the test opens it. It gives a test a stable state
// in mid-turn: wait for `arrived`, check, then `open`.

export interface Gate {
  /** Resolves when `pass` is first called. */
  readonly arrived: Promise<void>
  /** Resolves when the gate is open. */
  readonly passed: Promise<void>
  open(): void
  /** Waits until the gate is open; an abort rejects with its reason. */
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
