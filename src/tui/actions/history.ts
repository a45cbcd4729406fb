// Ctrl-R: earlier prompts of all sessions, found by what is typed. The chosen one replaces the draft and can be edited.
import { oneLine } from "../../contract/text/text.ts"
import { listOverlay, type ListItem } from "../overlays/list.ts"
import { draftOf } from "../state/draft.ts"
import type { ScreenControl } from "./control.ts"

interface PromptItem extends ListItem {
  readonly prompt: string
}

const MAX_LABEL = 300

export function searchHistory(screen: ScreenControl): void {
  if (screen.state.question !== undefined) return
  const items = screen.history.newestFirst.map((prompt): PromptItem => ({
    prompt,
    label: oneLine(prompt, MAX_LABEL),
    searched: prompt,
  }))
  const choose = ({ prompt }: PromptItem) => screen.update({ draft: draftOf(prompt), completion: undefined })
  screen.update({ overlay: listOverlay({ title: "earlier prompts", items, choose, none: "No earlier prompts." }) })
}
