// The time of the server's computer: the times of events are of its clock, and the clock of this computer may be wrong.
import { signal } from "@preact/signals"

/** What the way there and back can explain. */
const MIN_OFFSET_MS = 2000

const offset = signal(0)

export function serverNow(): number {
  return Date.now() + offset.value
}

/** `now` was answered to a request between `sentAt` and `receivedAt` of this computer's clock. */
export function setServerTime(now: number, sentAt: number, receivedAt: number): void {
  const found = now - (sentAt + receivedAt) / 2
  offset.value = Math.abs(found) < Math.max(MIN_OFFSET_MS, receivedAt - sentAt) ? 0 : found
}
