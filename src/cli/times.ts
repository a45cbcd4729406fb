// Formats times for users.
const minuteMs = 60_000

export function ago(ms: number): string {
  return ms < minuteMs ? "just now" : `${span(ms)} ago`
}

/** In the largest fitting unit: `5 min`, `3 h`, `12 d`. */
export function span(ms: number): string {
  const minutes = Math.floor(ms / minuteMs)
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`
  return `${Math.floor(minutes / 1440)} d`
}

/** To the second, in the local time zone. */
export function moment(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * minuteMs)
  return local.toISOString().replace("T", " ").slice(0, 19)
}
