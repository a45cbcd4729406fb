// The items of a transcript as lines. Lines of items that cannot change any more are kept for as long as the item and the
// width are the same: the transcript replaces what changes.
import { lexer } from "marked"
import { principalName } from "../../contract/rules/approval-answers.ts"
import { lastLines } from "../../contract/rules/live-output.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import { withoutEscapes } from "../../contract/text/text.ts"
import { callHead, endedCall, runningCall, stoppedCall } from "../../display/call-lines.ts"
import { decisionText } from "../../display/decision-text.ts"
import { counted } from "../../display/format.ts"
import { markdownLines } from "../../display/markdown.ts"
import { safe } from "../../display/safe-text.ts"
import {
  columnsOf,
  cutToWidth,
  lineText,
  padToWidth,
  plain,
  wrapExactly,
  type Line,
  type Span,
} from "../../display/spans.ts"
import type { AssistantEntry, CallEntry, NoticeEntry, TranscriptItem, UserEntry } from "../../projection/transcript.ts"
import type { SessionModel } from "../../clients/session/session-model.ts"
import { OWN_DOOR } from "../state/screen-state.ts"
import { imageKey } from "../images/load-image.ts"
import type { ImageBook } from "../images/image-store.ts"
import { imageLines } from "./image-lines.ts"
import { indentedLine, labelled, textWidth, wrapped } from "./layout.ts"
import { StreamedMarkdown } from "./streamed-markdown.ts"

export interface ItemSpace {
  readonly width: number
  readonly isExpanded: boolean
  readonly hasColour: boolean
  readonly user: string
  readonly now: number
  /** Absent where images cannot be drawn. */
  readonly images: ImageBook | undefined
}

/** Characters of a text that are laid out; the middle of a longer one is left out. */
const MAX_TEXT = 400_000
const MAX_END = 50_000
/** Lines of a prompt that are shown while it is folded. */
const MAX_PROMPT_LINES = 12
const TAIL_LINES = 4
const THOUGHT_LINES = 3
/** The author of prompts to an agent. */
const PARENT = /^session [\da-f-]{36}$/

interface Kept {
  readonly space: ItemSpace
  readonly lines: readonly Line[]
}

const kept = new WeakMap<TranscriptItem, Kept>()
const streamed = new WeakMap<object, StreamedMarkdown>()

/** Without the gap before it. */
export function itemLines(item: TranscriptItem, space: ItemSpace, session: SessionModel): readonly Line[] {
  if (isChanging(item, session)) return changingLines(item, space, session).map(indentedLine)
  const own = hasImages(item) ? space : { ...space, images: undefined }
  const known = kept.get(item)
  if (known !== undefined && isSameSpace(known.space, own)) return known.lines
  const lines = fixedLines(item, own).map(indentedLine)
  kept.set(item, { space: own, lines })
  return lines
}

function isSameSpace(one: ItemSpace, other: ItemSpace): boolean {
  const isAsWide = one.width === other.width && one.isExpanded === other.isExpanded
  return isAsWide && one.hasColour === other.hasColour && one.images === other.images
}

function hasImages(item: TranscriptItem): boolean {
  return item.kind === "call" ? item.images !== undefined : item.kind === "user" && item.attachments.length > 0
}

function isChanging(item: TranscriptItem, { live }: SessionModel): boolean {
  if (item.kind === "call") return item.state === "running"
  return item.kind === "assistant" && item.stepId === live.stepId
}

/** Whether an item has lines at all. Prompts that wait are shown above the input. */
export function isShown(item: TranscriptItem, { live }: SessionModel): boolean {
  if (item.kind === "user") return item.state === "promoted"
  if (item.kind !== "assistant") return true
  const isLive = item.stepId === live.stepId && (live.text !== "" || live.reasoning !== "")
  return isLive || item.text.trim() !== "" || item.reasoning.trim() !== ""
}

function changingLines(item: TranscriptItem, space: ItemSpace, session: SessionModel): readonly Line[] {
  if (item.kind === "assistant") return liveLines(item, space, session)
  if (item.kind !== "call") return fixedLines(item, space)
  const output = session.outputs.get(item.callId)
  const tail = output === undefined ? [] : lastLines(output, space.isExpanded ? 4 * TAIL_LINES : TAIL_LINES)
  return runningCall(item, space.now - (item.startedAt ?? space.now), tail, { width: textWidth(space.width) })
}

function fixedLines(item: TranscriptItem, space: ItemSpace): readonly Line[] {
  switch (item.kind) {
    case "user":
      return userLines(item, space)
    case "assistant":
      return [
        ...thoughtLines(item.reasoning, space, item.text.trim() === "" ? "nothing" : "text"),
        ...answerLines(item, space),
      ]
    case "call":
      return [...callLines(item, space), ...resultImages(item, space), ...decisionLines(item, space)]
    case "notice":
      return noticeLines(item, space)
  }
}

function userLines(entry: UserEntry, space: ItemSpace): readonly Line[] {
  const { text, by, attachments, untrustedSource, promptId } = entry
  const isOwn = by.principal === space.user
  const author = untrustedSource ?? (isOwn ? "you" : principalName(by.principal))
  const name = PARENT.test(author) ? "parent" : author
  const label = padToWidth(cutToWidth(safe(name), 12), 3)
  const labelWidth = columnsOf(label) + 2
  const width = Math.max(8, textWidth(space.width) - labelWidth)
  const lines = wrapExactly([plain(safe(bounded(text)))], width)
  const hidden = lines.length - MAX_PROMPT_LINES
  const isFolded = !space.isExpanded && hidden > 1
  const shown = isFolded ? [...lines.slice(0, MAX_PROMPT_LINES), foldMark(hidden)] : lines
  const files = attachments.flatMap(({ name: file, mediaType }, at) => {
    const images = mediaType.startsWith("image/") ? space.images : undefined
    return imageLines(imageKey(promptId, at), `@ ${file}`, { width, images })
  })
  return labelled([{ text: label, styles: ["bold"] }, plain("  ")], labelWidth, [...shown, ...files])
}

function foldMark(hidden: number): Line {
  return [muted(`+${counted(hidden, "line")}, ctrl-o shows all`)]
}

function answerLines({ text, cutOff }: AssistantEntry, space: ItemSpace): readonly Line[] {
  if (text.trim() === "") return []
  const page = { width: textWidth(space.width), hasColour: space.hasColour }
  const lines = markdownLines(lexer(bounded(text.trim())), page)
  return cutOff ? [...lines, [muted("(cut off)")]] : lines
}

/** The stored part of the step, and what is being written. */
function liveLines(entry: AssistantEntry, space: ItemSpace, { live }: SessionModel): readonly Line[] {
  const page = { width: textWidth(space.width), hasColour: space.hasColour }
  const joint = entry.text === "" || entry.cutOff ? "" : "\n\n"
  const text = live.text === "" ? entry.text : `${entry.text}${joint}${live.text}`
  const markdown = streamed.get(live) ?? new StreamedMarkdown()
  streamed.set(live, markdown)
  const isThinking = text.trim() === ""
  const thoughts = thoughtLines(entry.reasoning + live.reasoning, space, isThinking ? "nothing" : "text", isThinking)
  return [...thoughts, ...markdown.lines(text.trimStart(), page)]
}

/** Folded to its first line, unless nothing else is shown yet. */
function thoughtLines(
  reasoning: string,
  space: ItemSpace,
  follows: "text" | "nothing",
  isOpen = false,
): readonly Line[] {
  const text = reasoning.trim()
  if (text === "") return []
  const width = textWidth(space.width)
  const lines = wrapped(safe(bounded(text)), width - 2, ["muted", "italic"]).map((line): Line => [muted("│ "), ...line])
  const gap: readonly Line[] = follows === "text" ? [[]] : []
  if (space.isExpanded) return [...lines, ...gap]
  if (isOpen) return lines.slice(-THOUGHT_LINES)
  const hidden = lines.length - 1
  const more = hidden === 0 ? "" : `  +${counted(hidden, "line")}`
  const first = cutToWidth(lineText(lines[0] ?? []), width - columnsOf(more))
  return [[{ text: first, styles: ["muted", "italic"] }, muted(more)], ...gap]
}

function callLines(item: CallEntry, space: ItemSpace): readonly Line[] {
  const width = textWidth(space.width)
  const { state, output = "", startedAt, endedAt, details } = item
  switch (state) {
    case "done":
    case "failed":
    case "cancelled": {
      const ms = startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt)
      return endedCall(item, { outcome: state, output, details, ms }, { width, isExpanded: space.isExpanded })
    }
    case "refused":
      return stoppedCall({ text: "⊘", styles: ["danger"] }, item, withoutEscapes(output), { width })
    case "unsettled":
      return stoppedCall({ text: "?", styles: ["danger"] }, item, `outcome unknown: ${output}`, { width })
    case "asked":
      return [callHead(waitingSign, item, [{ text: "waiting for approval", styles: ["accent"] }], width)]
    case "called":
    case "approved":
    case "running":
      return [callHead(waitingSign, item, [], width)]
  }
}

const IMAGE_MARGIN = 4

function resultImages({ callId, images }: CallEntry, space: ItemSpace): readonly Line[] {
  const width = textWidth(space.width) - IMAGE_MARGIN
  const lines = (images?.files ?? []).flatMap(({ name, mediaType }, at) =>
    imageLines(imageKey(callId, at), `${name} (${mediaType})`, { width, images: space.images }),
  )
  return lines.map((line) => [muted("  │ "), ...line])
}

const waitingSign: Span = { text: "○", styles: ["tool"] }

/** Who decided about a call, if it was not the user in a window like this one. */
function decisionLines({ approval, tool, input }: CallEntry, space: ItemSpace): readonly Line[] {
  const viewer = { principal: space.user, door: OWN_DOOR }
  const text = approval === undefined ? undefined : decisionText(approval, viewer, mainArgument(tool, input))
  return text === undefined ? [] : [[muted(cutToWidth(`  ${text}`, textWidth(space.width)))]]
}

function noticeLines({ tone, text, end }: NoticeEntry, space: ItemSpace): readonly Line[] {
  const style = end === "failed" ? "danger" : tone === "warning" ? "warning" : "muted"
  return wrapped(safe(bounded(text)), textWidth(space.width), [style])
}

function bounded(text: string): string {
  const hidden = text.length - MAX_TEXT
  if (hidden <= 0) return text
  return `${text.slice(0, MAX_TEXT - MAX_END)}\n\n(+${hidden} characters)\n\n${text.slice(-MAX_END)}`
}

function muted(text: string): Span {
  return { text, styles: ["muted"] }
}
