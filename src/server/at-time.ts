// Doing something at a moment that may be farther away than a timer reaches.
const longestMs = 2 ** 31 - 1

/** Returns what gives it up. A moment that is not known never comes. */
export function atTime(time: number | undefined, now: () => number, act: () => void): () => void {
  if (time === undefined) return () => {}
  let timer: NodeJS.Timeout
  const wait = () => {
    const left = time - now()
    timer = setTimeout(() => (left <= longestMs ? act() : wait()), Math.min(left, longestMs))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
