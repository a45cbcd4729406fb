/** How long something took: `0.2 s`, `42 s`, `2 min 5 s`. */
export function timeText(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `00:42`, `1:02:03` */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const [minute, second] = [minutes, seconds % 60].map((value) => String(value).padStart(2, "0"))
  return `${hours > 0 ? `${hours}:` : ""}${minute}:${second}`
}
