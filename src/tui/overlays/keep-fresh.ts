// An overlay that shows what changes elsewhere: it is loaded again for as long as it is open.
import type { ScreenControl } from "../actions/control.ts"
import type { Overlay } from "./overlay.ts"

/** Milliseconds between two loads, at least; slow answers are fetched less often. */
const MIN_MS = 1000
const REST_FACTOR = 8

type Refreshed = Pick<ScreenControl, "state" | "update" | "start">

/** Opens the overlay with what `load` has put into it. */
export function showFresh(screen: Refreshed, overlay: Overlay, load: () => Promise<void>): void {
  screen.start(async () => {
    const startedAt = performance.now()
    await load()
    screen.update({ overlay })
    again(screen, overlay, load, startedAt)
  })
}

function again(screen: Refreshed, overlay: Overlay, load: () => Promise<void>, startedAt: number): void {
  const rest = Math.max(MIN_MS, REST_FACTOR * (performance.now() - startedAt))
  setTimeout(() => {
    if (screen.state.overlay !== overlay) return
    screen.start(async () => {
      const loadedAt = performance.now()
      await load()
      if (screen.state.overlay !== overlay) return
      screen.update({ overlay })
      again(screen, overlay, load, loadedAt)
    })
  }, rest).unref()
}
