// The transcript of a session in the form of this protocol's list: per turn the prompts, the notices, and all text as one
// message at its end. Tool calls are not listed, but what a person had to decide or know about one is a notice.
import type { Attachment } from "../../../contract/values.ts"
import type { AssistantEntry, CallEntry, TranscriptItem } from "../../../projection/transcript.ts"
import { decisionText, requestText } from "./approval-text.ts"
import { blockSeparator } from "./turn-text.ts"

export interface OpenTurn {
  /** Its text, as far as it is stored. */
  readonly text: string
  /** The step that is open, or was the last. */
  readonly step: AssistantEntry | undefined
  readonly calls: readonly CallEntry[]
}

export interface ListedTurns {
  readonly items: TranscriptItem[]
  /** The seq of the last item of each ended turn, oldest first. */
  readonly turnEnds: number[]
  readonly open: OpenTurn | undefined
}

export function listTurns(items: readonly TranscriptItem[], isInTurn: boolean): ListedTurns {
  const turns = groupByTurn(items)
  const open = isInTurn ? turns.pop() : undefined
  return {
    items: [...turns.flatMap(listEnded), ...(open ?? []).flatMap(listItem)],
    turnEnds: turns.map((turn) => turn.at(-1)?.seq ?? 0),
    open: open === undefined ? undefined : openTurn(open),
  }
}

export function unsettledText(tool: string, evidence: string): string {
  return `The outcome of ${tool} is unknown: ${evidence}`
}

/** A list does not need the content of attachments. */
export function withoutData(attachments: readonly Attachment[]): readonly Attachment[] {
  return attachments.map(({ name, mediaType }) => ({ name, mediaType }))
}

/**
 * A prompt begins a turn, unless it was added to a running one. That happens only after the calls of a step, and a turn
 * never ends with a call: its last step made none, or a notice says why the turn is over.
 */
function groupByTurn(items: readonly TranscriptItem[]): TranscriptItem[][] {
  const turns: TranscriptItem[][] = []
  let isAfterCalls = false
  for (const item of items) {
    const isPrompt = item.kind === "user" && item.state === "promoted"
    if (turns.length === 0 || (isPrompt && !isAfterCalls)) turns.push([item])
    else turns.at(-1)?.push(item)
    const isAside = item.kind === "user" || (item.kind === "notice" && item.tone === "info")
    if (!isAside) isAfterCalls = item.kind === "call"
  }
  return turns
}

function listEnded(turn: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const end = turn.findLastIndex(({ kind }) => kind === "assistant" || kind === "call") + 1
  const last = turn.findLast((item) => item.kind === "assistant")
  const answer = last === undefined ? [] : [{ ...last, text: textOf(turn), reasoning: "" }]
  return [...turn.slice(0, end).flatMap(listItem), ...answer, ...turn.slice(end).flatMap(listItem)]
}

function openTurn(turn: readonly TranscriptItem[]): OpenTurn {
  return {
    text: textOf(turn),
    step: turn.findLast((item) => item.kind === "assistant"),
    calls: turn.filter((item) => item.kind === "call").filter(isOpen),
  }
}

function textOf(turn: readonly TranscriptItem[]): string {
  const texts = turn.flatMap((item) => (item.kind === "assistant" && item.text !== "" ? [item.text] : []))
  return texts.join(blockSeparator).toWellFormed()
}

function isOpen({ state }: CallEntry): boolean {
  return state === "called" || state === "asked" || state === "approved" || state === "running"
}

function listItem(item: TranscriptItem): readonly TranscriptItem[] {
  switch (item.kind) {
    case "user":
      return [{ ...item, attachments: withoutData(item.attachments) }]
    case "notice":
      return [item]
    case "call": {
      const { seq, at, planId } = item
      return callNotices(item).map((text) => ({ kind: "notice", seq, at, planId, tone: "info", text }))
    }
    case "assistant":
      return []
  }
}

function callNotices({ tool, input, state, output, approval }: CallEntry): readonly string[] {
  const notices: string[] = []
  if (approval !== undefined) {
    const { id: approvalId, reason, questions, outcome, by, answer } = approval
    const request = { approvalId, tool, input, reason, questions }
    notices.push(requestText(request))
    if (outcome !== undefined) notices.push(decisionText(request, { outcome, by, answer }))
  }
  if (state === "unsettled") notices.push(unsettledText(tool, output ?? ""))
  return notices
}
