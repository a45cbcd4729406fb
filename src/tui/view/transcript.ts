// The transcript as blocks of lines for the window of the screen.
import type { Line } from "../../display/spans.ts"
import type { TranscriptItem } from "../../projection/transcript.ts"
import type { SessionModel } from "../../clients/session/session-model.ts"
import type { ScreenState } from "../state/screen-state.ts"
import { isShown, itemLines, type ItemSpace } from "./item-lines.ts"
import { indentedLine, textWidth, wrapped } from "./layout.ts"
import type { Blocks } from "./window.ts"

const TOP_KEY = "top"

/** A block is an item with the gap before it; the first block says whether there is more. */
export function transcriptBlocks(session: SessionModel, state: ScreenState, width: number): Blocks {
  const items = session.transcript.items.filter((item) => isShown(item, session))
  const { isExpanded, hasColour, now, facts, toggled, focus, images } = state
  const spaceOf = (key: string): ItemSpace => {
    return { width, isExpanded: isExpanded !== toggled.has(key), hasColour, now, user: facts.user, images }
  }
  return {
    count: items.length + 1,
    key: (at) => keyOf(items[at - 1]),
    lines: (at) => {
      const item = items[at - 1]
      if (item === undefined) return topLines(session, width)
      const key = keyOf(item)
      const drawn = itemLines(item, spaceOf(key), session)
      const lines = key === focus ? focusedLines(drawn) : drawn
      return needsGap(items[at - 2], item) ? [[], ...lines] : lines
    },
  }
}

/** Items with something to fold, oldest first. */
export function foldableKeys(session: SessionModel): readonly string[] {
  return session.transcript.items.flatMap((item) => {
    const isFoldable =
      item.kind === "call" || item.kind === "user" || (item.kind === "assistant" && item.reasoning !== "")
    return isFoldable && isShown(item, session) ? [keyOf(item)] : []
  })
}

/** The mark stands in the margin. */
function focusedLines([first = [], ...rest]: readonly Line[]): readonly Line[] {
  return [[{ text: "▸", styles: ["bold"] }, ...first.slice(1)], ...rest]
}

function keyOf(item: TranscriptItem | undefined): string {
  switch (item?.kind) {
    case "user":
      return item.promptId
    case "assistant":
      return item.stepId
    case "call":
      return item.callId
    case "notice":
      return `notice ${item.seq}`
    case undefined:
      return TOP_KEY
  }
}

/** Calls stand together, as do notices; everything else stands apart. */
function needsGap(before: TranscriptItem | undefined, item: TranscriptItem): boolean {
  if (before === undefined) return false
  return before.kind !== item.kind || item.kind === "user" || item.kind === "assistant"
}

function topLines({ hasEarlier }: SessionModel, width: number): readonly Line[] {
  return hasEarlier ? wrapped("earlier turns: page up", textWidth(width), ["muted"]).map(indentedLine) : [[]]
}
