// What the model gets next: a fold of events into messages, one list per track (the main conversation, and each open
// plan). Valid by construction: a call is listed with its result or not sent at all. Compaction, clearing and
// rewinding change this view only; the log keeps everything.
//
// The fold owns its accumulator and changes it in place, since a copy per event would cost more the longer the
// history is. It is plain JSON, so that it can be part of a snapshot.
import type { EventOf, Recorded } from "../contract/events.ts"
import type { CallId, PlanId, PromptId, StepId } from "../contract/ids.ts"
import type { Attachment, JsonValue } from "../contract/values.ts"
import { foldReferences, hintOf, noReferences, type References } from "./references.ts"
import { condensed } from "./service-context.ts"

export interface Context {
  tracks: Record<string, ContextItem[]>
  /** The track that turns are folded into now: `main` or a plan's id. */
  track: string
  /** Admitted, not yet promoted. */
  pending: Record<PromptId, EventOf<"prompt.admitted">>
  /** What people mean by `it` and `the file`. */
  references: References
  /** In sessions of the network door: where the newest turn began. What came before is kept as words alone. */
  service?: { turnSeq: number }
}

export type ContextItem = UserItem | AssistantItem | SummaryItem

export interface UserItem {
  kind: "user"
  seq: number
  lastSeq: number
  text: string
  attachments: readonly Attachment[]
  untrustedSource: string | undefined
  /** What references in the text point at, where that is plain. */
  hint?: string
  /** What documents say about it. */
  passages?: readonly { readonly title: string; readonly text: string }[]
}

/** One step of the model, or several that continue each other, with the results of its calls. */
export interface AssistantItem {
  kind: "assistant"
  seq: number
  lastSeq: number
  stepId: StepId
  parts: AssistantPart[]
  results: Record<CallId, CallResult>
}

export type AssistantPart =
  | { kind: "text"; text: string; cutOff: boolean }
  | { kind: "reasoning"; text: string; providerMetadata: JsonValue | undefined }
  | { kind: "call"; callId: CallId; tool: string; input: JsonValue; providerMetadata: JsonValue | undefined }

export interface CallResult {
  output: string
  failed: boolean
  /** Set when the output is text from outside. */
  untrustedSource?: string | undefined
}

/** Stands for everything before it: a compacted history, or a plan that was left. */
export interface SummaryItem {
  kind: "summary"
  seq: number
  lastSeq: number
  of: "history" | "plan"
  text: string
}

export const mainTrack = "main"

export function emptyContext(): Context {
  return { tracks: { [mainTrack]: [] }, track: mainTrack, pending: {}, references: noReferences }
}

export function contextItems(context: Context, track: string = context.track): ContextItem[] {
  return (context.tracks[track] ??= [])
}

export function foldContext(context: Context, recorded: Recorded): Context {
  context.references = foldReferences(context.references, recorded)
  const { seq, event } = recorded
  switch (event.type) {
    case "session.created":
      if (event.preset === "service") context.service = { turnSeq: seq }
      return context
    case "turn.started":
      if (context.service !== undefined) context.service = { turnSeq: seq }
      return context
    case "turn.ended":
      return endTurn(context)
    case "prompt.admitted":
      context.pending[event.promptId] = event
      return context
    case "prompt.withdrawn":
      delete context.pending[event.promptId]
      return context
    case "prompt.promoted":
      return addPrompt(context, event.promptId, seq)
    case "step.started":
      return startStep(context, event, seq)
    case "text.ended":
      return addText(context, event, seq)
    case "reasoning.ended":
      return event.interrupted === true ? context : addPart(context, event.stepId, seq, reasoningPart(event))
    case "tool.called":
      return addPart(context, event.stepId, seq, callPart(event))
    case "tool.refused":
      return addResult(context, event.callId, seq, { output: event.reason, failed: true })
    case "tool.ended":
      return addResult(context, event.callId, seq, resultOf(event))
    case "tool.unsettled":
      return addResult(context, event.callId, seq, { output: unknownOutcome(event.evidence), failed: true })
    case "context.retrieved":
      return addPassages(context, event)
    case "context.compacted":
      return compact(context, event, seq)
    case "context.cleared":
      if (context.track === mainTrack) context.tracks = {}
      context.tracks[context.track] = []
      return context
    case "context.rewound":
      context.tracks[context.track] = contextItems(context).filter((item) => item.seq <= event.toSeq)
      return context
    case "plan.entered":
      return enterPlan(context, event.planId)
    case "session.ended":
      context.track = mainTrack
      return context
    case "plan.exited":
      return leavePlan(context, event, seq)
    default:
      return context // everything else is not for the model
  }
}

function endTurn(context: Context): Context {
  if (context.service === undefined) return context
  context.tracks[context.track] = condensed(contextItems(context), context.service.turnSeq)
  return context
}

function addPrompt(context: Context, promptId: PromptId, seq: number): Context {
  const prompt = context.pending[promptId]
  if (prompt === undefined) return context
  delete context.pending[promptId]
  const { text, attachments = [], untrustedSource } = prompt
  const hint = hintOf(context.references)
  const item: UserItem = { kind: "user", seq, lastSeq: seq, text, attachments, untrustedSource }
  contextItems(context).push(hint === undefined ? item : { ...item, hint })
  return context
}

/** They belong to the words for which they were looked up. */
function addPassages(context: Context, { passages }: EventOf<"context.retrieved">): Context {
  const asked = contextItems(context).findLast((item) => item.kind === "user")
  if (asked !== undefined) asked.passages = passages.map(({ title, text }) => ({ title, text }))
  return context
}

function resultOf({ output, outcome, untrustedSource }: EventOf<"tool.ended">): CallResult {
  return { output, failed: outcome !== "done", ...(untrustedSource === undefined ? {} : { untrustedSource }) }
}

function startStep(context: Context, event: EventOf<"step.started">, seq: number): Context {
  const before = event.continues === undefined ? undefined : assistant(context, event.continues)
  if (before === undefined) {
    const { stepId } = event
    contextItems(context).push({ kind: "assistant", seq, lastSeq: seq, stepId, parts: [], results: {} })
  } else {
    before.stepId = event.stepId
    before.lastSeq = seq
  }
  return context
}

function addText(context: Context, event: EventOf<"text.ended">, seq: number): Context {
  if (event.text === "") return context // it had nothing but proposals
  const cutOff = event.interrupted === true
  const last = assistant(context, event.stepId)?.parts.at(-1)
  if (last?.kind !== "text" || !last.cutOff)
    return addPart(context, event.stepId, seq, { kind: "text", text: event.text, cutOff })
  last.text += event.text
  last.cutOff = cutOff
  return context
}

function addPart(context: Context, stepId: StepId, seq: number, part: AssistantPart): Context {
  const item = assistant(context, stepId)
  item?.parts.push(part)
  if (item !== undefined) item.lastSeq = seq
  return context
}

function callPart({ callId, tool, input, providerMetadata }: EventOf<"tool.called">): AssistantPart {
  return { kind: "call", callId, tool, input, providerMetadata }
}

function reasoningPart(event: EventOf<"reasoning.ended">): AssistantPart {
  return { kind: "reasoning", text: event.text, providerMetadata: event.providerMetadata }
}

function addResult(context: Context, callId: CallId, seq: number, result: CallResult): Context {
  const item = contextItems(context).findLast(
    (candidate): candidate is AssistantItem => candidate.kind === "assistant" && holdsCall(candidate, callId),
  )
  if (item === undefined) return context
  item.results[callId] = result
  item.lastSeq = seq
  return context
}

function holdsCall(item: AssistantItem, callId: CallId): boolean {
  return item.parts.some((part) => part.kind === "call" && part.callId === callId)
}

function unknownOutcome(evidence: string): string {
  return `The outcome of this call is unknown: the host ended while it ran. ${evidence} Find out what happened before you repeat it.`
}

function compact(context: Context, event: EventOf<"context.compacted">, seq: number): Context {
  const kept = contextItems(context).filter((item) => item.lastSeq > event.upToSeq)
  const summary: SummaryItem = {
    kind: "summary",
    seq: Math.min(event.upToSeq, seq),
    lastSeq: seq,
    of: "history",
    text: event.summary,
  }
  context.tracks[context.track] = event.summary === "" ? kept : [summary, ...kept]
  return context
}

/** Of the plans that were left only the newest can be gone on with. */
function enterPlan(context: Context, planId: PlanId): Context {
  context.tracks = { [mainTrack]: contextItems(context, mainTrack), [planId]: contextItems(context, planId) }
  context.track = planId
  return context
}

function leavePlan(context: Context, event: EventOf<"plan.exited">, seq: number): Context {
  context.track = mainTrack
  if (event.summary !== undefined) {
    contextItems(context).push({ kind: "summary", seq, lastSeq: seq, of: "plan", text: event.summary })
  }
  return context
}

function assistant(context: Context, stepId: StepId): AssistantItem | undefined {
  const item = contextItems(context).findLast((candidate) => candidate.kind === "assistant")
  return item?.stepId === stepId ? item : undefined
}
