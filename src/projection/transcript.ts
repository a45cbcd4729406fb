// What people see: the one fold behind every list of messages. Compaction loses nothing; cleared and rewound parts are
// hidden. The fold changes its list in place, but replaces changed items, so that views can compare by identity.
import type { EventOf, Recorded } from "../contract/events.ts"
import { isDuringCall } from "../contract/rules/call-requests.ts"
import { finishSentence } from "../contract/text/finish-sentence.ts"
import { undecidedSentence } from "../features/voting/odds.ts"
import type { CallId, PlanId, StepId, TurnId } from "../contract/ids.ts"
import type {
  ApprovalEntry,
  AssistantEntry,
  CallEntry,
  NoticeEntry,
  TranscriptItem,
  UserEntry,
} from "../contract/views/transcript.ts"
import { memberIn, textIn } from "../contract/json-object.ts"

export type * from "../contract/views/transcript.ts"

export interface Transcript {
  readonly items: TranscriptItem[]
  /** The turn being folded, and its track. */
  turn: { readonly id: TurnId; readonly planId: PlanId | undefined } | undefined
  /** The open plan. */
  planId: PlanId | undefined
}

export type TurnEnd = Exclude<EventOf<"turn.ended">["reason"], "done">

export function emptyTranscript(): Transcript {
  return { items: [], turn: undefined, planId: undefined }
}

export function foldTranscript(transcript: Transcript, recorded: Recorded): Transcript {
  const { event } = recorded
  switch (event.type) {
    case "prompt.admitted":
      transcript.items.push(userEntry(transcript, recorded, event))
      return transcript
    case "prompt.promoted":
      return promote(transcript, event, recorded)
    case "prompt.withdrawn":
      return remove(transcript, (item) => item.kind === "user" && item.promptId === event.promptId)
    case "turn.started":
      transcript.turn = { id: event.turnId, planId: event.planId }
      return transcript
    case "turn.parked":
      return notice(transcript, recorded, "warning", event.message)
    case "turn.ended":
      return endTurn(transcript, event, recorded)
    case "response.ended":
      return noteVotes(transcript, event, recorded)
    case "step.started":
      return startStep(transcript, event, recorded)
    case "text.ended":
      return changeStep(transcript, event.stepId, (step) => ({
        ...step,
        settledAt: recorded.at,
        text: joined(step, event.text),
        cutOff: event.interrupted === true,
        ...(event.suggestions === undefined ? {} : { suggestions: event.suggestions }),
      }))
    case "reasoning.ended":
      return changeStep(transcript, event.stepId, (step) => ({ ...step, reasoning: step.reasoning + event.text }))
    case "tool.called":
      transcript.items.push(callEntry(transcript, recorded, event))
      return transcript
    case "tool.modified":
      return changeCall(transcript, event.callId, { input: event.input })
    case "tool.started":
      return changeCall(transcript, event.callId, { state: "running", startedAt: recorded.at })
    case "tool.refused":
      return changeCall(transcript, event.callId, { state: "refused", output: event.reason })
    case "tool.ended":
      return changeCall(transcript, event.callId, {
        state: event.outcome,
        output: event.output,
        endedAt: recorded.at,
        ...(event.citations === undefined ? {} : { citations: event.citations }),
        ...resultDetails(event),
        ...resultImages(event, recorded.seq),
      })
    case "tool.unsettled":
      return changeCall(transcript, event.callId, { state: "unsettled", output: event.evidence })
    case "approval.requested":
      return changeCall(transcript, event.callId, {
        ...(isDuringCall(event) ? {} : { state: "asked" }),
        approval: approvalEntry(event),
      })
    case "approval.decided":
      return decideApproval(transcript, event, recorded.at)
    case "interaction.requested":
      return requestInteraction(transcript, event)
    case "verification.requested":
      return event.parked === true ? changeCall(transcript, event.callId, { state: "asked" }) : transcript
    case "interaction.answered":
      return answerInteraction(transcript, event)
    case "compaction.failed":
      return notice(transcript, recorded, "warning", `Compaction failed: ${event.error}`)
    case "context.compacted":
      return notice(transcript, recorded, "info", "Earlier messages were summarised for the model.")
    case "context.cleared":
      return remove(transcript, (item) => item.planId === transcript.planId && !isWaiting(item))
    case "context.rewound":
      return remove(transcript, (item) => item.seq > event.toSeq && !isWaiting(item))
    case "plan.entered":
      transcript.planId = event.planId
      return transcript
    case "session.ended":
      transcript.planId = undefined
      return transcript
    case "plan.exited":
      transcript.planId = undefined
      return event.summary === undefined ? transcript : notice(transcript, recorded, "info", `Plan: ${event.summary}`)
    default:
      return transcript // not part of the conversation
  }
}

/** One track: the main conversation or a plan. */
export function trackOf(
  { items }: { readonly items: readonly TranscriptItem[] },
  planId: PlanId | undefined,
): readonly TranscriptItem[] {
  return items.filter((item) => item.planId === planId)
}

function userEntry(transcript: Transcript, { seq, at }: Recorded, event: EventOf<"prompt.admitted">): UserEntry {
  const { promptId, text, attachments = [], by, untrustedSource } = event
  const planId = transcript.turn?.planId
  return { kind: "user", seq, at, planId, promptId, text, attachments, by, untrustedSource, state: "waiting" }
}

/** A prompt takes its place when it is delivered. */
function promote(
  transcript: Transcript,
  event: EventOf<"prompt.promoted">,
  { seq, at: settledAt }: Recorded,
): Transcript {
  const at = transcript.items.findLastIndex((item) => item.kind === "user" && item.promptId === event.promptId)
  const entry = transcript.items[at]
  if (entry?.kind !== "user") return transcript
  transcript.items.splice(at, 1)
  const { turnId } = event
  transcript.items.push({ ...entry, seq, settledAt, planId: transcript.turn?.planId, turnId, state: "promoted" })
  return transcript
}

function startStep(transcript: Transcript, event: EventOf<"step.started">, { seq, at }: Recorded): Transcript {
  if (event.continues !== undefined)
    return changeStep(transcript, event.continues, (step) => ({ ...step, stepId: event.stepId }))
  const planId = transcript.turn?.planId
  transcript.items.push({
    kind: "assistant",
    seq,
    at,
    planId,
    stepId: event.stepId,
    text: "",
    reasoning: "",
    cutOff: false,
  })
  return transcript
}

function endTurn(transcript: Transcript, event: EventOf<"turn.ended">, recorded: Recorded): Transcript {
  const { reason, finish } = event
  settleReply(transcript, recorded.at)
  if (reason !== "done") notice(transcript, recorded, "warning", endNotice(event, reason), reason)
  else if (finish !== undefined) notice(transcript, recorded, "warning", finishSentence(finish))
  transcript.turn = undefined
  return transcript
}

function noteVotes(transcript: Transcript, { votes }: EventOf<"response.ended">, recorded: Recorded): Transcript {
  const text = votes === undefined ? undefined : undecidedSentence(votes)
  return text === undefined ? transcript : notice(transcript, recorded, "warning", text)
}

/** The final text of a turn is complete when the turn is. */
function settleReply({ items }: Transcript, settledAt: number): void {
  const at = items.findLastIndex((item) =>
    item.kind === "user" ? item.state === "promoted" : item.kind === "assistant" && item.text !== "",
  )
  const reply = items[at]
  if (reply?.kind === "assistant") items[at] = { ...reply, settledAt }
}

function endNotice(event: EventOf<"turn.ended">, end: TurnEnd): string {
  switch (end) {
    case "interrupted":
      return `Interrupted${event.by ? ` by ${event.by.principal}` : ""}.`
    case "failed":
      return `The turn failed: ${event.error ?? "no reason was given"}`
    case "step-limit":
      return "The turn was ended at the limit of its steps."
  }
}

function callEntry(transcript: Transcript, { seq, at }: Recorded, event: EventOf<"tool.called">): CallEntry {
  const { callId, tool, input } = event
  const planId = transcript.turn?.planId
  return { kind: "call", seq, at, planId, callId, tool, input, state: "called", output: undefined, approval: undefined }
}

function approvalEntry(event: EventOf<"approval.requested">): ApprovalEntry {
  const { approvalId: id, reason, questions, connection, server } = event
  return {
    id,
    reason,
    outcome: undefined,
    by: undefined,
    ...(questions === undefined ? {} : { questions }),
    ...(connection === undefined ? {} : { connection }),
    ...(server === undefined ? {} : { server }),
  }
}

function decideApproval(transcript: Transcript, event: EventOf<"approval.decided">, decidedAt: number): Transcript {
  const entry = transcript.items.findLast((item) => item.kind === "call" && item.approval?.id === event.approvalId)
  if (entry?.kind !== "call" || entry.approval === undefined) return transcript
  const { outcome, by, answer } = event
  const approval = { ...entry.approval, outcome, by, decidedAt, ...(answer === undefined ? {} : { answer }) }
  const isStarting = event.outcome === "approved" && !isDuringCall(entry.approval)
  const state = isStarting ? "approved" : entry.state
  return changeCall(transcript, entry.callId, { approval, state })
}

function requestInteraction(transcript: Transcript, event: EventOf<"interaction.requested">): Transcript {
  const { interactionId: id, callId, kind, spec, reason, expiresAt } = event
  const interaction = { id, kind, spec, reason, expiresAt, outcome: undefined, values: undefined }
  return changeCall(transcript, callId, { state: "asked", interaction })
}

function answerInteraction(transcript: Transcript, event: EventOf<"interaction.answered">): Transcript {
  const entry = transcript.items.findLast(
    (item) => item.kind === "call" && item.interaction?.id === event.interactionId,
  )
  if (entry?.kind !== "call" || entry.interaction === undefined) return transcript
  const { outcome, values } = event
  return changeCall(transcript, entry.callId, { interaction: { ...entry.interaction, outcome, values } })
}

function joined({ text, cutOff }: AssistantEntry, more: string): string {
  if (more === "") return text
  return text === "" || cutOff ? text + more : `${text}\n\n${more}`
}

function notice(
  transcript: Transcript,
  { seq, at }: Recorded,
  tone: NoticeEntry["tone"],
  text: string,
  end?: TurnEnd,
): Transcript {
  const { turn, planId: openPlan } = transcript
  const planId = turn === undefined ? openPlan : turn.planId
  const entry: NoticeEntry = { kind: "notice", seq, at, planId, tone, text }
  transcript.items.push(end === undefined ? entry : { ...entry, end })
  return transcript
}

function changeStep(
  transcript: Transcript,
  stepId: StepId,
  change: (step: AssistantEntry) => AssistantEntry,
): Transcript {
  const at = transcript.items.findLastIndex((item) => item.kind === "assistant" && item.stepId === stepId)
  const entry = transcript.items[at]
  if (entry?.kind === "assistant") transcript.items[at] = change(entry)
  return transcript
}

function changeCall(transcript: Transcript, callId: CallId, change: Partial<CallEntry>): Transcript {
  const at = transcript.items.findLastIndex((item) => item.kind === "call" && item.callId === callId)
  const entry = transcript.items[at]
  if (entry?.kind === "call") transcript.items[at] = { ...entry, ...change }
  return transcript
}

/** A prompt that was not delivered yet cannot be rewound. */
function isWaiting(item: TranscriptItem): boolean {
  return item.kind === "user" && item.state === "waiting"
}

function remove(transcript: Transcript, hidden: (item: TranscriptItem) => boolean): Transcript {
  const kept = transcript.items.filter((item) => !hidden(item))
  transcript.items.length = 0
  for (const item of kept) transcript.items.push(item)
  return transcript
}

/** Their bytes would make every list of messages large. */
function resultImages({ images }: EventOf<"tool.ended">, seq: number): Pick<CallEntry, "images"> {
  if (images === undefined || images.length === 0) return {}
  return { images: { seq, files: images.map(({ name, mediaType }) => ({ name, mediaType })) } }
}

/** What the details of a result say to staff (the reason of an escalation) and to the visitor's client. */
function resultDetails({ details }: EventOf<"tool.ended">): Pick<CallEntry, "details" | "escalation" | "directive"> {
  if (details === undefined) return {}
  const escalation = textIn(details, "escalation")
  const directive = memberIn(details, "directive")
  return {
    details,
    ...(escalation === undefined ? {} : { escalation }),
    ...(directive === undefined ? {} : { directive }),
  }
}
