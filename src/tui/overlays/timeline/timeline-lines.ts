// The timeline as lines: a slider, the event, and the conversation as it was then. Pure.
import type { Recorded } from "../../../contract/events.ts"
import { moment } from "../../../display/format.ts"
import { safe } from "../../../display/safe-text.ts"
import { cutToWidth, wrapSpans, type Line } from "../../../display/spans.ts"
import { indentedLine } from "../../view/layout.ts"
import type { Blocks } from "../../view/window.ts"
import { windowLines } from "../../view/window.ts"
import type { OverlaySpace } from "../overlay.ts"

export interface TimelineContent {
  readonly events: readonly Recorded[]
  /** Events that have happened, at least 1. */
  readonly count: number
  /** The question before a rewind. */
  readonly question: string | undefined
}

const MAX_SLIDER = 100

export function timelineLines(content: TimelineContent, blocks: Blocks, space: OverlaySpace): readonly Line[] {
  const { width, height } = space
  const question =
    content.question === undefined
      ? []
      : wrapSpans([{ text: safe(content.question), styles: ["accent", "bold"] }], Math.max(1, width - 2)).map(
          indentedLine,
        )
  const head = [sliderLine(content, width), eventLine(content, width), ...question]
  return [...head, ...windowLines(blocks, Math.max(0, height - head.length), undefined)]
}

function sliderLine({ events, count }: TimelineContent, width: number): Line {
  const room = Math.max(1, Math.min(MAX_SLIDER, width - 12) - 2)
  const at = events.length <= 1 ? room - 1 : Math.round(((count - 1) / (events.length - 1)) * (room - 1))
  return [
    { text: " timeline ", styles: ["bold"] },
    { text: `├${"─".repeat(at)}`, styles: ["muted"] },
    { text: "●", styles: ["bold"] },
    { text: `${"─".repeat(room - 1 - at)}┤`, styles: ["muted"] },
  ]
}

function eventLine({ events, count }: TimelineContent, width: number): Line {
  const recorded = events[count - 1]
  if (recorded === undefined) return [{ text: " no events", styles: ["muted"] }]
  const { seq, at, event } = recorded
  const text = ` event ${seq} of ${events.at(-1)?.seq ?? seq} · ${moment(at).slice(11)} · ${event.type}`
  return [{ text: cutToWidth(safe(text), width), styles: ["muted"] }]
}
