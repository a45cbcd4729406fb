// When a source is read again. After a failure sooner, and then less and less often.
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export const minEveryMs = MINUTE
export const maxEveryMs = 366 * DAY

/** `failures`: runs in a row that failed. Undefined without a schedule. */
export function nextRunAt(everyMs: number | undefined, failures: number, now: number): number | undefined {
  if (everyMs === undefined) return undefined
  if (failures === 0) return now + everyMs
  return now + Math.min(5 * MINUTE * 2 ** Math.min(failures - 1, 20), Math.max(everyMs, DAY))
}
