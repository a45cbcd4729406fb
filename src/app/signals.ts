// Signals that ask a command to exit, for as long as it handles them itself.
const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

type Name = keyof typeof numbers

const all: readonly Name[] = ["SIGINT", "SIGTERM", "SIGHUP"]

/** Returns a function that stops listening: from then on the signals have their default effect. */
export function onSignals(listener: (number: number) => void, names: readonly Name[] = all): () => void {
  const listeners = names.map((name) => [name, () => listener(numbers[name])] as const)
  for (const [name, listen] of listeners) process.on(name, listen)
  return () => {
    for (const [name, listen] of listeners) process.off(name, listen)
  }
}
