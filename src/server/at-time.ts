// A timer for times beyond the limit of setTimeout.
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Returns a function that cancels it. Without a time `act` is never called. */
export function atTime(time: number | undefined, now: () => number, act: () => void): () => void {
  if (time === undefined) return () => {}
  let timer: NodeJS.Timeout
  const wait = () => {
    const left = time - now()
    timer = setTimeout(() => (left <= MAX_TIMEOUT_MS ? act() : wait()), Math.min(left, MAX_TIMEOUT_MS))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
