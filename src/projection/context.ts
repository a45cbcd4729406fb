// What the model gets next: a fold of events into messages, one list per track (the main conversation, and each open
// plan). Valid by construction: a call is listed with its result or not sent at all. Compaction, clearing and
// rewinding change this view only; the log keeps everything.
//
// The fold owns its accumulator and changes it in place, since a copy per event would cost more the longer the
// history is. It is plain JSON, so that it can be part of a snapshot.
import { settingsOf } from "../contract/rules/session-settings.ts"
import type { EventOf, Recorded } from "../contract/events.ts"
import type { CallId, PlanId, PromptId, StepId } from "../contract/ids.ts"
import { shellNote } from "../features/shells/shell-text.ts"
import { foldReferences, hintOf, noReferences, type References } from "../features/references/references.ts"
import type {
  AssistantItem,
  AssistantPart,
  CallResult,
  ContextItem,
  SummaryItem,
  UserItem,
} from "../contract/views/context.ts"
import { condensed } from "../features/chat-service/condense-context.ts"

export type * from "../contract/views/context.ts"

export interface Context {
  tracks: Record<string, ContextItem[]>
  /** The track that turns are folded into now: `main` or a plan's id. */
  track: string
  /** Admitted, not yet promoted. */
  pending: Record<PromptId, EventOf<"prompt.admitted">>
  /** What `it` and `the file` in a prompt refer to. */
  references: References
  /** Start of the newest turn. */
  turnSeq: number
  /** Set in sessions of the WebSocket API: of earlier turns only the text is kept. */
  isService?: true
  /** The size of the context after the newest response, as its provider reported it. */
  reported?: ReportedSize
}

export interface ReportedSize {
  /** The answered step: later items are not counted. */
  stepId: StepId
  model: string
  /** Tokens of the request and the answer. */
  tokens: number
}

export const mainTrack = "main"
/** Notes after one item; older ones are left out. */
const MAX_NOTES = 32

export function emptyContext(): Context {
  return { tracks: { [mainTrack]: [] }, track: mainTrack, pending: {}, references: noReferences, turnSeq: 0 }
}

export function contextItems(context: Context, track: string = context.track): ContextItem[] {
  return (context.tracks[track] ??= [])
}

export function foldContext(context: Context, recorded: Recorded): Context {
  context.references = foldReferences(context.references, recorded)
  const { seq, event } = recorded
  switch (event.type) {
    case "session.created":
      if (!settingsOf(event).compacts) context.isService = true
      return context
    case "turn.started":
      context.turnSeq = seq
      return context
    case "turn.ended":
      return endTurn(event.code === "prompt.refused" ? withoutNewestPrompt(context) : context)
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
    case "response.ended":
      noteEnvironment(context, event)
      return noteSize(context, event)
    case "tool.called":
      return addPart(context, event.stepId, seq, callPart(event))
    case "tool.refused":
      return addResult(context, event.callId, seq, { output: event.reason, failed: true })
    case "tool.ended":
      return addResult(context, event.callId, seq, resultOf(event))
    case "tool.unsettled":
      return addResult(context, event.callId, seq, { output: unknownOutcome(event.evidence), failed: true })
    case "shell.ended":
      return addNote(context, shellNote(event))
    case "context.retrieved":
      return addPassages(context, event)
    case "context.compacted":
      return compact(context, event, seq)
    case "context.cleared":
      if (context.track === mainTrack) context.tracks = {}
      context.tracks[context.track] = []
      return withoutSize(context)
    case "context.rewound":
      context.tracks[context.track] = contextItems(context).filter((item) => item.seq <= event.toSeq)
      return withoutSize(context)
    case "plan.entered":
      return enterPlan(context, event.planId)
    case "session.ended":
      context.track = mainTrack
      return withoutSize(context)
    case "plan.exited":
      return leavePlan(context, event, seq)
    default:
      return context // not for the model
  }
}

function endTurn(context: Context): Context {
  if (context.isService === undefined) return context
  context.tracks[context.track] = condensed(contextItems(context), context.turnSeq)
  return withoutSize(context)
}

/** A hook keeps it from the model, also in later turns. */
function withoutNewestPrompt(context: Context): Context {
  const items = contextItems(context)
  const at = items.findLastIndex((item) => item.kind === "user" && item.seq > context.turnSeq)
  if (at !== -1) items.splice(at, 1)
  return withoutSize(context)
}

/** The prompt that began the running turn, unless a summary has replaced it. */
export function turnPrompt(context: Context): UserItem | undefined {
  return contextItems(context).find((item): item is UserItem => item.kind === "user" && item.seq > context.turnSeq)
}

function noteEnvironment(context: Context, { environment }: EventOf<"response.ended">): void {
  const prompt = environment === undefined ? undefined : turnPrompt(context)
  if (prompt !== undefined && environment !== undefined) prompt.environment ??= environment
}

/** With voting, the usage covers several requests and says nothing about one. */
function noteSize(context: Context, { stepId, model, usage, votes }: EventOf<"response.ended">): Context {
  if (usage === undefined || usage.input === 0 || votes !== undefined) return withoutSize(context)
  context.reported = { stepId, model, tokens: usage.input + usage.output }
  return context
}

/** The context has changed. */
function withoutSize(context: Context): Context {
  delete context.reported
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

/** After the newest item, so that nothing that a model was sent before changes. */
function addNote(context: Context, note: string | undefined): Context {
  const item = contextItems(context).at(-1)
  if (item !== undefined && note !== undefined) item.notes = [...(item.notes ?? []), note].slice(-MAX_NOTES)
  return context
}

/** Passages belong to the prompt for which they were retrieved. */
function addPassages(context: Context, { passages }: EventOf<"context.retrieved">): Context {
  const newestPrompt = contextItems(context).findLast((item) => item.kind === "user")
  if (newestPrompt !== undefined) newestPrompt.passages = passages.map(({ title, text }) => ({ title, text }))
  return context
}

function resultOf({ output, outcome, images, untrustedSource }: EventOf<"tool.ended">): CallResult {
  return {
    output,
    failed: outcome !== "done",
    ...(images === undefined ? {} : { images }),
    ...(untrustedSource === undefined ? {} : { untrustedSource }),
  }
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
  if (event.text === "") return context // only quick replies
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
  const { upToSeq, keeps = [], summary: text } = event
  if (text === "") return context // nothing to summarise
  const kept = contextItems(context).filter((item) => item.lastSeq > upToSeq || keeps.includes(item.seq))
  // Its place in the log is later, but the events between are not covered: they stay until a summary includes them.
  const covered = Math.min(upToSeq, seq)
  const summary: SummaryItem = { kind: "summary", seq: covered, lastSeq: covered, of: "history", text }
  context.tracks[context.track] = [keeps.length > 0 ? { ...summary, coversKept: true } : summary, ...kept]
  return withoutSize(context)
}

/** Only the newest of the left plans can be resumed. */
function enterPlan(context: Context, planId: PlanId): Context {
  context.tracks = { [mainTrack]: contextItems(context, mainTrack), [planId]: contextItems(context, planId) }
  context.track = planId
  return withoutSize(context)
}

function leavePlan(context: Context, event: EventOf<"plan.exited">, seq: number): Context {
  context.track = mainTrack
  if (event.summary !== undefined) {
    contextItems(context).push({ kind: "summary", seq, lastSeq: seq, of: "plan", text: event.summary })
  }
  return withoutSize(context)
}

function assistant(context: Context, stepId: StepId): AssistantItem | undefined {
  const item = contextItems(context).findLast((candidate) => candidate.kind === "assistant")
  return item?.stepId === stepId ? item : undefined
}
