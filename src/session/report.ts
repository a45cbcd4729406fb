// The effects that the runner performs, and what it reports about them. Both stay inside the process, so they are types
// without a schema. Reports go through the same mailbox as commands; a report about work that has ended is refused as
// stale, which is normal after an interrupt.
import type { EventOf } from "../contract/events.ts"
import type { CallId, CompactionId, StepId, TurnId } from "../contract/ids.ts"
import type {
  Attachment,
  Citation,
  HeldLock,
  JsonValue,
  Passage,
  StreamedBlock,
  ToolLevel,
  Usage,
  Votes,
} from "../contract/values.ts"
import type { FeatureReport, FeatureEffect } from "./feature-types.ts"

export type RunnerReport =
  /** The first report after a session was opened: what a dead host may have left open. */
  | { readonly type: "recover"; readonly evidence: Readonly<Record<CallId, string>> }
  | Adopt
  | Retrieved
  | { readonly type: "context-full"; readonly stepId: StepId }
  | ModelAnswered
  | ModelFailed
  /** The answer broke off and a new step must continue it. */
  | { readonly type: "answer-cut"; readonly stepId: StepId }
  /** The provider failed before it answered; `model` is tried next. */
  | { readonly type: "model-overloaded"; readonly stepId: StepId; readonly model: string; readonly reason: string }
  | TurnBlocked
  | Judged
  | CallReady
  | CallSettled
  | { readonly type: "park-elapsed"; readonly turnId: TurnId }
  | Compacted
  | { readonly type: "compaction-failed"; readonly compactionId: CompactionId; readonly error: string }
  | FeatureReport

export type ReportOf<Type extends RunnerReport["type"]> = Extract<RunnerReport, { type: Type }>

/** After `recover`, when the host wants to continue a turn that no host has run since the given time. */
export interface Adopt {
  readonly type: "adopt"
  readonly host: string
  readonly idleSince: number
}

/** Passages of documents for the prompt of a turn, found before its first model call. */
export interface Retrieved {
  readonly type: "retrieved"
  readonly stepId: StepId
  readonly query: string
  readonly passages: readonly Passage[]
}

/** A model's answer, its parts in order of arrival. */
export interface ModelAnswered extends Pick<EventOf<"response.ended">, "stepId" | "model" | "finish" | "aside"> {
  readonly type: "model-answered"
  readonly parts: readonly AnswerPart[]
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
  readonly votes?: Votes | undefined
  readonly environment?: string | undefined
}

export interface ModelFailed {
  readonly type: "model-failed"
  readonly stepId: StepId
  readonly error: string
  readonly code?: EventOf<"turn.ended">["code"]
}

export type AnswerPart = TextPart | CalledPart

export interface TextPart extends StreamedBlock {
  readonly providerMetadata?: JsonValue
  readonly suggestions?: string[] | undefined
}

export interface CalledPart extends Pick<EventOf<"tool.called">, "callId" | "tool" | "input" | "providerMetadata"> {
  readonly kind: "call"
  /** Why the input cannot be used at all. */
  readonly problem?: string | undefined
}

export interface TurnBlocked extends Pick<EventOf<"turn.parked">, "message" | "until" | "waitsFor"> {
  readonly type: "turn-blocked"
  readonly stepId: StepId
  readonly why: "budget" | "quota"
}

/** The verdict of a gate that did not let the call pass. */
export interface Judged {
  readonly type: "judged"
  readonly callId: CallId
  readonly verdict:
    | { readonly kind: "refuse"; readonly by: string; readonly reason: string; readonly level?: ToolLevel }
    | { readonly kind: "modify"; readonly by: string; readonly input: JsonValue }
}

/** All gates are passed and the tool is prepared. Once this is stored its side effect may begin. */
export interface CallReady extends Pick<EventOf<"tool.started">, "callId" | "class" | "digest" | "process"> {
  readonly type: "call-ready"
  /** Of the tool's description, where that can change. */
  readonly revision?: string | undefined
  readonly locks?: readonly HeldLock[] | undefined
  readonly waitMs: number | undefined
}

export interface CallSettled extends Pick<EventOf<"tool.ended">, "callId" | "output" | "details" | "untrustedSource"> {
  readonly type: "call-settled"
  readonly outcome: "done" | "failed"
  readonly citations?: readonly Citation[] | undefined
  readonly images?: readonly Attachment[] | undefined
}

export interface Compacted extends Pick<EventOf<"context.compacted">, "compactionId" | "summary" | "upToSeq"> {
  readonly type: "compacted"
  readonly keeps?: readonly number[]
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
}

export type Effect =
  | { readonly type: "call-model"; readonly id: string; readonly stepId: StepId }
  | { readonly type: "run-call"; readonly id: string; readonly callId: CallId }
  | { readonly type: "compact"; readonly id: string; readonly compactionId: CompactionId }
  | { readonly type: "end-park"; readonly id: string; readonly turnId: TurnId; readonly at: number }
  | { readonly type: "await-budget"; readonly id: string; readonly turnId: TurnId }
  | FeatureEffect

type Effects = { [One in Effect as One["type"]]: One }
export type EffectOf<Type extends Effect["type"]> = Effects[Type]
