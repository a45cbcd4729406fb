// From the transcript of a session to what viewers of this wire list: per turn the prompts, notices, and all text of the
// turn as one message at its end. Calls are not listed; what a person had to decide or to know about one is a notice.
import type { Attachment } from "../../../contract/values.ts"
import type { AssistantEntry, CallEntry, TranscriptItem } from "../../../projection/transcript.ts"
import { decisionWords, requestWords } from "./approval-text.ts"
import { blockSeparator } from "./turn-text.ts"

export interface OpenTurn {
  /** All that was said in the turn, as far as it is stored. */
  readonly text: string
  /** The step that is open, or was the last. */
  readonly step: AssistantEntry | undefined
  readonly calls: readonly CallEntry[]
}

export interface Condensed {
  readonly items: TranscriptItem[]
  /** The last item of each turn that is over, oldest first. */
  readonly turnEnds: number[]
  readonly open: OpenTurn | undefined
}

export function condense(items: readonly TranscriptItem[], isInTurn: boolean): Condensed {
  const turns = turnsOf(items)
  const open = isInTurn ? turns.pop() : undefined
  return {
    items: [...turns.flatMap(closedTurn), ...(open ?? []).flatMap(listed)],
    turnEnds: turns.map((turn) => turn.at(-1)?.seq ?? 0),
    open: open === undefined ? undefined : openTurn(open),
  }
}

export function unsettledWords(tool: string, evidence: string): string {
  return `The outcome of ${tool} is unknown: ${evidence}`
}

/** What attachments hold is of no use in a list. */
export function withoutData(attached: readonly Attachment[]): readonly Attachment[] {
  return attached.map(({ name, mediaType }) => ({ name, mediaType }))
}

/**
 * A prompt begins a turn, unless it slipped into one. It can do that only after the calls of a step, and a turn never
 * ends with a call: either its last step made none, or a notice says why it is over.
 */
function turnsOf(items: readonly TranscriptItem[]): TranscriptItem[][] {
  const turns: TranscriptItem[][] = []
  let afterCalls = false
  for (const item of items) {
    const isPrompt = item.kind === "user" && item.state === "promoted"
    const begins = turns.length === 0 || (isPrompt && !afterCalls)
    if (begins) turns.push([item])
    else turns.at(-1)?.push(item)
    const isAside = item.kind === "user" || (item.kind === "notice" && item.tone === "info")
    if (!isAside) afterCalls = item.kind === "call"
  }
  return turns
}

function closedTurn(turn: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const end = turn.findLastIndex(({ kind }) => kind === "assistant" || kind === "call") + 1
  const last = turn.findLast((item) => item.kind === "assistant")
  const said = last === undefined ? [] : [{ ...last, text: textOf(turn), reasoning: "" }]
  return [...turn.slice(0, end).flatMap(listed), ...said, ...turn.slice(end).flatMap(listed)]
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

function listed(item: TranscriptItem): readonly TranscriptItem[] {
  switch (item.kind) {
    case "user":
      return [{ ...item, attachments: withoutData(item.attachments) }]
    case "notice":
      return [item]
    case "call":
      return callWords(item).map((text) => notice(item, text))
    case "assistant":
      return []
  }
}

function notice({ seq, at, planId }: CallEntry, text: string): TranscriptItem {
  return { kind: "notice", seq, at, planId, tone: "info", text }
}

function callWords({ tool, input, state, output, approval }: CallEntry): readonly string[] {
  const words: string[] = []
  if (approval !== undefined)
    words.push(requestWords({ approvalId: approval.id, tool, input, reason: approval.reason }))
  if (approval?.outcome !== undefined) words.push(decisionWords(approval.id, tool, approval.outcome, approval.by))
  if (state === "unsettled") words.push(unsettledWords(tool, output ?? ""))
  return words
}
