/** How long something took: `0.2 s`, `42 s`, `2 min 5 s`. */
export function timeText(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
