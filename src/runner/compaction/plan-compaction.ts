// What a compaction summarises and what stays verbatim. In a turn its prompts and its newest steps stay, as far as there
// is room for them; everything else up to there is covered by the summary. Pure.
import { contextItems, type Context } from "../../projection/context.ts"
import { textTokens, TOKENS_PER_FILE } from "../prompt/token-estimate.ts"
import { conversationText } from "./conversation-text.ts"
import type { ContextItem } from "../../contract/views/context.ts"

export interface CompactionPlan {
  /** Everything the summary covers, in order, and the prompts that stay among it: they say what the steps are for. */
  readonly items: readonly ContextItem[]
  readonly upToSeq: number
  /** Prompts that stay verbatim although the summary reaches beyond them. */
  readonly keeps: readonly number[]
  /** It covers only the turn's prompts: worth it only when the provider refuses the request. */
  readonly isPromptOnly: boolean
}

/** Tokens that newest steps may keep, where the window is large enough. */
const KEPT_STEPS = 20_000

/** Undefined where a summary could replace nothing. `window` is the context window in tokens. */
export function planCompaction(context: Context, isInTurn: boolean, window: number): CompactionPlan | undefined {
  const items = contextItems(context)
  const prompts = isInTurn ? keptPrompts(items, context.turnSeq, window) : []
  const first = isInTurn ? firstKeptStep(context, prompts, window) : items.length
  const end = items.findLastIndex((item, at) => at < first && !prompts.includes(item)) + 1
  const covered = items.slice(0, end)
  const newest = covered.at(-1)
  if (newest === undefined || !covered.some((item) => isNew(item) && !prompts.includes(item))) return undefined
  const keeps = prompts.map(({ seq }) => seq).filter((seq) => seq <= newest.lastSeq)
  const isPromptOnly = isInTurn && covered.every((item) => item.kind === "user" && item.seq > context.turnSeq)
  return { items: covered, upToSeq: newest.lastSeq, keeps, isPromptOnly }
}

export function itemTokens(item: ContextItem): number {
  const files = item.kind === "user" ? item.attachments.length * TOKENS_PER_FILE : imageTokens(item)
  return conversationText([item]).reduce((sum, { text }) => sum + textTokens(text), files)
}

/** Of images in the results of tools. */
function imageTokens(item: ContextItem): number {
  if (item.kind !== "assistant") return 0
  const images = Object.values(item.results).reduce((sum, result) => sum + (result.images?.length ?? 0), 0)
  return images * TOKENS_PER_FILE
}

/** The prompt that began the turn and the newest that joined it, as long as they take no more than half of the window. */
function keptPrompts(items: readonly ContextItem[], turnSeq: number, window: number): readonly ContextItem[] {
  const [first, ...joined] = items.filter((item) => item.kind === "user" && item.seq > turnSeq)
  const kept: ContextItem[] = []
  let remaining = window / 2
  for (const prompt of first === undefined ? [] : [first, ...joined.toReversed()]) {
    const size = itemTokens(prompt)
    if (size > remaining) continue
    remaining -= size
    kept.push(prompt)
  }
  return kept
}

function tokensForSteps(prompts: readonly ContextItem[], window: number): number {
  return Math.min(KEPT_STEPS, window / 4, window / 2 - sizeOf(prompts))
}

/** Where the newest steps of the turn begin that fit; a step that is being answered is always among them. */
function firstKeptStep(context: Context, prompts: readonly ContextItem[], window: number): number {
  const items = contextItems(context)
  let remaining = tokensForSteps(prompts, window)
  const lastDropped = items.findLastIndex((item, at) => {
    if (item.kind !== "assistant") return !prompts.includes(item)
    if (item.seq <= context.turnSeq) return true
    if (at === items.length - 1 && isOpen(item)) return false
    remaining -= itemTokens(item)
    return remaining < 0
  })
  return lastDropped + 1
}

/** It has no text yet, or its text was cut off and is being continued. */
function isOpen({ parts }: Extract<ContextItem, { kind: "assistant" }>): boolean {
  const newest = parts.at(-1)
  return newest === undefined || (newest.kind === "text" && newest.cutOff)
}

/** Not covered by a summary yet. */
function isNew(item: ContextItem): boolean {
  return item.kind !== "summary" || item.of !== "history"
}

function sizeOf(items: readonly ContextItem[]): number {
  return items.reduce((sum, item) => sum + itemTokens(item), 0)
}
