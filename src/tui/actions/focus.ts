// Folding single items of the transcript: keys choose an item, enter folds it or shows it.
import { transcriptHeight } from "../view/screen.ts"
import { foldableKeys, transcriptBlocks } from "../view/transcript.ts"
import { isInWindow } from "../view/window.ts"
import type { ScreenControl } from "./control.ts"

/** Begins with the newest item. */
export function moveFocus(screen: ScreenControl, by: 1 | -1): void {
  const { state, size } = screen
  const { session, focus, scroll } = state
  if (session === undefined) return
  const keys = foldableKeys(session)
  const at = focus === undefined ? keys.length : keys.indexOf(focus)
  const next = keys[at + by]
  if (next === undefined) return by === 1 ? screen.update({ focus: undefined, scroll: undefined }) : undefined
  const blocks = transcriptBlocks(session, state, size.columns)
  const isSeen = isInWindow(blocks, transcriptHeight(state, size), scroll, next)
  screen.update({ focus: next, ...(isSeen ? {} : { scroll: { key: next, line: 0 } }) })
}

export function toggleFocused(screen: ScreenControl): void {
  const { focus, toggled } = screen.state
  if (focus === undefined) return
  const others = new Set(toggled)
  if (!others.delete(focus)) others.add(focus)
  screen.update({ toggled: others })
}
