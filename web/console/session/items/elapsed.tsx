// How long something has been going on, counted in seconds.
import { useEffect, useState } from "preact/hooks"
import { timeText } from "../../../../src/display/time-text.ts"
import { serverNow } from "../../state/server-clock.ts"

/** By the clock of the server. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

export function Elapsed({ since }: { readonly since: number }) {
  const ms = useNow() - since
  return <span class="muted">{ms < 1000 ? "" : timeText(ms)}</span>
}
