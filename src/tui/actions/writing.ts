// Keys that change the draft.
import { typedPart } from "../../contract/text/typed-part.ts"
import { accept, completionOf, selectNext } from "../state/completion.ts"
import { moveRow } from "../state/draft-rows.ts"
import {
  draftOf,
  draftOfPrompt,
  emptyDraft,
  insert,
  isBlank,
  move,
  paste,
  remove,
  type Draft,
  type Motion,
} from "../state/draft.ts"
import { draftWidth } from "../view/input-box.ts"
import { queuedPrompts } from "../../clients/session/session-model.ts"
import type { ScreenControl } from "./control.ts"
import { attachClipboard, attachDropped } from "./images.ts"
import { showNewest } from "./reading.ts"

/** The draft was changed by typing. */
export function setDraft(screen: ScreenControl, draft: Draft): void {
  screen.history.reset()
  const isPrompt = screen.state.question === undefined
  screen.update({ draft, completion: isPrompt ? completionOf(draft, screen.sources) : undefined })
}

export function typeText(screen: ScreenControl, text: string): void {
  setDraft(screen, insert(screen.state.draft, text))
}

/** Terminals paste the paths of files that are dropped on them, and nothing where the clipboard has an image. */
export function pasteText(screen: ScreenControl, text: string): void {
  if (text === "") return attachClipboard(screen, "quiet")
  if (!attachDropped(screen, text)) setDraft(screen, paste(screen.state.draft, text))
}

export function moveCursor(screen: ScreenControl, motion: Motion): void {
  const isEnd = motion === "line-end" && screen.state.draft.text === ""
  if (isEnd) return showNewest(screen)
  screen.update({ draft: move(screen.state.draft, motion), completion: undefined })
}

export function deleteText(screen: ScreenControl, motion: Motion): void {
  setDraft(screen, remove(screen.state.draft, motion))
}

export function complete(screen: ScreenControl): void {
  const { completion, draft } = screen.state
  if (completion !== undefined) return setDraft(screen, accept(draft, completion))
  if (typedPart(draft) === undefined) return
  screen.update({ completion: completionOf(draft, screen.sources) })
}

/** Choices, rows of the draft, the queued prompt, then prompts of before. */
export function moveVertically(screen: ScreenControl, by: 1 | -1): void {
  const { completion, draft, question } = screen.state
  if (completion !== undefined) return screen.update({ completion: selectNext(completion, by) })
  const moved = moveRow(draft, draftWidth(screen.size.columns), by)
  if (moved !== undefined) return screen.update({ draft: moved })
  if (question !== undefined) return
  if (by === -1 && isBlank(draft) && editQueued(screen)) return
  const older = screen.history.step(by === -1 ? 1 : -1, draft)
  if (older !== undefined) screen.update({ draft: older })
}

/** Takes the newest queued prompt of this user back into the input. */
function editQueued(screen: ScreenControl): boolean {
  const { session, facts } = screen.state
  const own = session === undefined ? [] : queuedPrompts(session).filter(({ by }) => by.principal === facts.user)
  const newest = own.at(-1)
  if (newest === undefined) return false
  screen.start(async () => {
    const isWithdrawn = await screen.send({ type: "withdraw", promptId: newest.promptId })
    if (isWithdrawn) screen.update({ draft: draftOfPrompt(newest.text, newest.attachments) })
  })
  return true
}

export function editInEditor(screen: ScreenControl): void {
  const { files } = screen.place
  if (files === undefined) return screen.notify("info", "An editor is only available on the machine of the session.")
  screen.start(async () => {
    const edited = await screen.terminal.lend(() => files.edit(screen.state.draft.text))
    if (edited.kind === "problem") return screen.notify("warning", edited.message)
    screen.update({ draft: draftOf(edited.text.trimEnd()), completion: undefined })
  })
}

export function clearDraft(screen: ScreenControl): void {
  screen.update({ draft: emptyDraft, completion: undefined })
}
