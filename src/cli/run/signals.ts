// Signals that ask a command to end, for as long as it wants to answer them itself.
const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

/** Returns what ends the listening: from then on they do what they always do. */
export function onSignals(listener: (number: number) => void): () => void {
  const listeners = Object.entries(numbers).map(([name, number]) => [name, () => listener(number)] as const)
  for (const [name, listen] of listeners) process.on(name, listen)
  return () => {
    for (const [name, listen] of listeners) process.off(name, listen)
  }
}
