// Keys for the session as a whole: interrupt, leave, plan mode, help.
import { describeContext } from "../../contract/text/describe-context.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { helpPage } from "../overlays/help.ts"
import { textPager } from "../overlays/pager.ts"
import { isBlank } from "../state/draft.ts"
import { leaveQuestion } from "./approval.ts"
import { chooseRewind } from "./choices.ts"
import type { ScreenControl, ScreenExit } from "./control.ts"
import { clearDraft } from "./writing.ts"

/** Milliseconds within which a key counts as pressed twice. */
const TWICE_MS = 800
const LEAVE_MS = 2000
/** Columns that the page of the context does not have for its bar. */
const PAGER_MARGIN = 4

/** Closes what is open; else interrupts; twice at rest, goes back to an earlier prompt. */
export function escape(screen: ScreenControl): void {
  const { completion, question, shell, session, draft, card, focus } = screen.state
  if (completion !== undefined) return screen.update({ completion: undefined })
  if (question !== undefined) return leaveQuestion(screen)
  if (shell !== undefined) {
    shell.stop?.()
    return screen.update({ shell: undefined })
  }
  if (focus !== undefined) return screen.update({ focus: undefined })
  if (card !== undefined && !isBlank(draft)) return clearDraft(screen)
  const now = Date.now()
  const isTwice = now - screen.pressedAt.escape < TWICE_MS
  screen.pressedAt.escape = now
  if (session?.status.inTurn === true) {
    screen.pressedAt.escape = 0 // interrupting twice must not rewind
    return screen.start(async () => void (await screen.send({ type: "interrupt" })))
  }
  if (isTwice && isBlank(draft)) return chooseRewind(screen)
  if (isBlank(draft)) screen.notify("info", "esc again: go back to an earlier prompt")
}

export function leaveTwice(screen: ScreenControl): void {
  const { draft, question } = screen.state
  if (question !== undefined) return leaveQuestion(screen)
  if (draft.text !== "") return clearDraft(screen)
  const now = Date.now()
  if (now - screen.pressedAt.leave < LEAVE_MS) return screen.leave(exitOf(screen, "left"))
  screen.pressedAt.leave = now
  const isWorking = screen.state.session?.status.inTurn === true
  screen.notify("info", isWorking ? "ctrl-c again: leave; the turn goes on. esc: interrupt it" : "ctrl-c again: leave")
}

export function detach(screen: ScreenControl): void {
  screen.leave(exitOf(screen, "detached"))
}

/** Ctrl-D deletes while something is typed. */
export function detachIfEmpty(screen: ScreenControl): void {
  if (screen.state.draft.text === "") detach(screen)
  else screen.notify("info", "ctrl-d leaves when the input is empty; ctrl-c clears it")
}

export function exitOf({ state: { session } }: ScreenControl, reason: ScreenExit["reason"]): ScreenExit {
  return { reason, sessionId: session?.sessionId, isWorking: session?.status.inTurn === true }
}

export function togglePlanMode(screen: ScreenControl): void {
  const isPlanning = screen.state.session?.status.planMode === true
  screen.start(async () => {
    const isDone = await screen.send(isPlanning ? { type: "exit-plan" } : { type: "enter-plan" })
    if (isDone) screen.notify("info", isPlanning ? "left plan mode" : "plan mode: nothing can be changed")
  })
}

export function showContext(screen: ScreenControl): void {
  const { session } = screen.state
  if (session === undefined) return
  screen.start(async () => {
    const usage = await screen.place.port.query({ type: "context-usage", sessionId: session.sessionId })
    if (usage.kind === "refused") return screen.notify("warning", describeRefusal(usage.refusal))
    screen.update({ overlay: textPager("context", describeContext(usage.value, screen.size.columns - PAGER_MARGIN)) })
  })
}

export function showHelp(screen: ScreenControl): void {
  screen.update({ overlay: helpPage(screen.sources.commands) })
}
