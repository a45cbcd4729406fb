// What each action of the keymap does.
import type { ActionName } from "../keymap.ts"
import { openPanel } from "../overlays/panel/panel.ts"
import { openTimeline } from "../overlays/timeline/timeline.ts"
import { showNextRequest } from "./approval.ts"
import { moveFocus } from "./focus.ts"
import { insertCut } from "../state/draft.ts"
import { chooseModel, chooseThinking, chooseTools } from "./choices.ts"
import type { ScreenControl } from "./control.ts"
import { searchHistory } from "./history.ts"
import { attachClipboard } from "./images.ts"
import { scrollLines, scrollPage, showFirst, showNewest, toggleExpanded } from "./reading.ts"
import { detachIfEmpty, escape, leaveTwice, showContext, showHelp, togglePlanMode } from "./session.ts"
import { chooseSession, openParent } from "./sessions.ts"
import { submit } from "./submit.ts"
import { complete, deleteText, editInEditor, moveCursor, moveVertically, setDraft, typeText } from "./writing.ts"

export const actions: Readonly<Record<ActionName, (screen: ScreenControl) => void>> = {
  send: submit,
  "new-line": (screen) => typeText(screen, "\n"),
  complete,
  up: (screen) => moveVertically(screen, -1),
  down: (screen) => moveVertically(screen, 1),
  "search-history": searchHistory,
  "paste-image": (screen) => attachClipboard(screen, "asked"),
  "edit-draft": editInEditor,
  left: (screen) => moveCursor(screen, "left"),
  right: (screen) => moveCursor(screen, "right"),
  "word-left": (screen) => moveCursor(screen, "word-left"),
  "word-right": (screen) => moveCursor(screen, "word-right"),
  "line-start": (screen) => moveCursor(screen, "line-start"),
  "line-end": (screen) => moveCursor(screen, "line-end"),
  "delete-left": (screen) => deleteText(screen, "left"),
  "delete-right": (screen) => deleteText(screen, "right"),
  "delete-word": (screen) => deleteText(screen, "word-left"),
  "delete-to-start": (screen) => deleteText(screen, "line-start"),
  "delete-to-end": (screen) => deleteText(screen, "line-end"),
  "insert-cut": (screen) => setDraft(screen, insertCut(screen.state.draft)),
  "page-up": (screen) => scrollPage(screen, -1),
  "page-down": (screen) => scrollPage(screen, 1),
  "line-up": (screen) => scrollLines(screen, -1),
  "line-down": (screen) => scrollLines(screen, 1),
  "first-line": showFirst,
  "newest-line": showNewest,
  expand: toggleExpanded,
  "focus-up": (screen) => moveFocus(screen, -1),
  "focus-down": (screen) => moveFocus(screen, 1),
  "next-request": showNextRequest,
  escape,
  sessions: chooseSession,
  "plan-mode": togglePlanMode,
  model: chooseModel,
  thinking: chooseThinking,
  "tool-mode": chooseTools,
  context: showContext,
  panel: openPanel,
  parent: openParent,
  timeline: openTimeline,
  detach: detachIfEmpty,
  leave: leaveTwice,
  suspend: (screen) => screen.terminal.suspend(),
  help: showHelp,
}
