// Progress of a call as people see it: shortened, and not more often than they can read.

export type ShowProgress = (message: string, fraction: number | undefined) => void

/** As servers report it. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** Between two messages that are passed on. */
const PAUSE_MS = 50
const MAX_LENGTH = 1000

export function progressTo(show: ShowProgress): (at: Progress) => void {
  let last = -Infinity
  return ({ progress, total, message }) => {
    const now = performance.now()
    if (now - last < PAUSE_MS) return
    last = now
    const fraction = total === undefined || total <= 0 ? undefined : Math.min(1, Math.max(0, progress / total))
    const text = message ?? `${progress}${total === undefined ? "" : ` of ${total}`}`
    show(text.slice(0, MAX_LENGTH), fraction)
  }
}
