// Making room in the context: a model summarises what was said, and the summary takes its place in the context alone.
// The log and the transcript keep everything. What belongs to the running turn is kept as it is, unless it alone fills
// the context.
import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import type { CompactionId } from "../contract/ids.ts"
import type { Usage } from "../contract/values.ts"
import { faultSentence } from "../models/fault-sentence.ts"
import { ModelUnavailable, type ModelChoice } from "../models/model-source.ts"
import { metered } from "../models/metered.ts"
import { streamWithRetries } from "../models/retry.ts"
import { usageOf, type FinishPart } from "../models/usage.ts"
import { contextItems, type ContextItem, type UserItem } from "../projection/context.ts"
import { promptMessages } from "./prompt-messages.ts"
import type { SessionActor } from "./session-actor.ts"
import { sessionModel } from "./session-model.ts"
import { estimatedTokens } from "./token-estimate.ts"

const instruction = [
  "Summarise the conversation so far, for yourself, so that the work can go on without it.",
  "Keep: what the person wants and has decided, what was found out, which files were read or changed and how,",
  "commands that matter, what is still to be done. Names, paths and numbers exactly. No greeting, no comment.",
].join(" ")

/** Tool outputs are the bulk of a long conversation and rarely matter word for word. */
const outputLength = 2000
const longestSummary = 4096
const charactersPerToken = 3

export async function compact(session: SessionActor, compactionId: CompactionId, signal: AbortSignal): Promise<void> {
  const old = itemsToSummarise(session)
  const upToSeq = old.at(-1)?.lastSeq ?? 0
  if (old.length === 0) {
    await session.report({
      type: "compacted",
      compactionId,
      summary: "",
      upToSeq,
      usage: undefined,
      costUsd: undefined,
    })
    return
  }
  try {
    const summary = await summarise(session, old, signal)
    if (!signal.aborted) await session.report({ type: "compacted", compactionId, upToSeq, ...summary })
  } catch (fault) {
    if (signal.aborted) return
    const error = session.services.scrubber.text(faultSentence(fault))
    await session.report({ type: "compaction-failed", compactionId, error })
  }
}

/** Everything when idle; in a turn, what came before its prompt, or else all of it but the newest step. */
function itemsToSummarise({ state, context }: SessionActor): readonly ContextItem[] {
  const items = contextItems(context)
  if (state.turn === undefined) return items
  const current = items.filter((item) => item.kind !== "assistant" || item.parts.length > 0)
  const promptAt = current.findLastIndex((item) => item.kind === "user")
  return promptAt > 0 ? current.slice(0, promptAt) : current.slice(0, -1)
}

interface Summary {
  readonly summary: string
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
}

/** A summary is paid for like any answer, so the budget is asked first. */
async function summarise(session: SessionActor, items: readonly ContextItem[], signal: AbortSignal): Promise<Summary> {
  const { state, services } = session
  const choice = await sessionModel(session, signal)
  const prompt: LanguageModelV4Prompt = [
    ...promptMessages(fitting(items, choice), { system: instruction, takesPrefill: true }),
    { role: "user", content: [{ type: "text", text: instruction }] },
  ]
  const reservation = services.ledger.reserve(state, choice, estimatedTokens({ prompt }))
  if (reservation.kind === "refused") throw new ModelUnavailable(reservation.message)
  try {
    return await written(session, choice, prompt, signal)
  } finally {
    reservation.release()
  }
}

async function written(
  session: SessionActor,
  choice: ModelChoice,
  prompt: LanguageModelV4Prompt,
  signal: AbortSignal,
): Promise<Summary> {
  const maxOutputTokens = Math.min(choice.maxOutput, longestSummary)
  const meter = metered((abortSignal) => choice.model.doStream({ prompt, maxOutputTokens, abortSignal }))
  const stream = await streamWithRetries(meter.start, { signal })
  let summary = ""
  let finish: FinishPart | undefined
  for await (const part of stream) {
    if (part.type === "text-delta") summary += part.delta
    if (part.type === "finish") finish = part
  }
  if (summary.trim() === "") throw new ModelUnavailable("The model gave no summary.")
  const usage = finish === undefined ? undefined : usageOf(finish)
  const costUsd = meter.costUsd ?? (usage === undefined ? undefined : choice.costUsd(usage))
  return { summary: session.services.scrubber.text(summary), usage, costUsd }
}

/** Shortens outputs and, if that is not enough, leaves out the oldest items that do not fit the model. */
function fitting(items: readonly ContextItem[], choice: ModelChoice): readonly ContextItem[] {
  const short = items.map(shortened)
  let room = choice.contextWindow * 0.7 * charactersPerToken
  const from = short.findLastIndex((item) => {
    room -= JSON.stringify(item).length
    return room < 0
  })
  return short.slice(from + 1)
}

function shortened(item: ContextItem): ContextItem {
  if (item.kind === "user") return withoutDocuments(item)
  if (item.kind === "summary") return item
  const results = Object.entries(item.results).map(([id, result]) => [id, { ...result, output: clip(result.output) }])
  return { ...item, results: Object.fromEntries(results) }
}

/** What was said about them stands in the answers. */
function withoutDocuments(item: UserItem): UserItem {
  return { ...item, attachments: [], passages: [] }
}

function clip(text: string): string {
  return text.length <= outputLength ? text : `${text.slice(0, outputLength).toWellFormed()} […]`
}
