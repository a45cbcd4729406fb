// Scrolling and folding.
import { transcriptHeight } from "../view/screen.ts"
import { transcriptBlocks } from "../view/transcript.ts"
import { isAtStart, scrolled } from "../view/window.ts"
import type { ScreenControl } from "./control.ts"

/** Further than any transcript goes. */
const FAR = Number.MAX_SAFE_INTEGER

export function scrollLines(screen: ScreenControl, by: number): void {
  const { state, size } = screen
  if (state.session === undefined) return
  const blocks = transcriptBlocks(state.session, state, size.columns)
  const height = transcriptHeight(state, size)
  const scroll = scrolled(blocks, height, state.scroll, by)
  screen.update({ scroll })
  if (by < 0 && isAtStart(blocks, height, scroll)) screen.start(async () => void (await screen.link?.readEarlier()))
}

/** Two lines stay in sight. */
export function scrollPage(screen: ScreenControl, direction: 1 | -1): void {
  scrollLines(screen, direction * Math.max(1, transcriptHeight(screen.state, screen.size) - 2))
}

export function showFirst(screen: ScreenControl): void {
  scrollLines(screen, -FAR)
}

export function showNewest(screen: ScreenControl): void {
  screen.update({ scroll: undefined })
}

export function toggleExpanded(screen: ScreenControl): void {
  screen.update({ isExpanded: !screen.state.isExpanded })
}
