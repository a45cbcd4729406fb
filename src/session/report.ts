// The effects that the runner performs, and what it reports about them. Both stay inside the process, so they are types
// without a schema. Reports go through the same mailbox as commands; a report about work that has ended is refused as
// stale, which is normal after an interrupt.
import type { EventOf } from "../contract/events.ts"
import type { CallId, CompactionId, StepId, TurnId } from "../contract/ids.ts"
import type {
  Citation,
  Finish,
  HeldLock,
  JsonValue,
  Passage,
  StreamedBlock,
  ToolClass,
  ToolLevel,
  ToolProcess,
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
export interface ModelAnswered {
  readonly type: "model-answered"
  readonly stepId: StepId
  readonly parts: readonly AnswerPart[]
  readonly model: string
  readonly finish: Finish
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
  /** Cost of a request to a fast model meanwhile. */
  readonly aside?: EventOf<"response.ended">["aside"]
  /** Where several answers were requested. */
  readonly votes?: Votes | undefined
}

export interface ModelFailed {
  readonly type: "model-failed"
  readonly stepId: StepId
  readonly error: string
  readonly code?: EventOf<"turn.ended">["code"]
}

export type AnswerPart = SaidPart | CalledPart

export interface SaidPart extends StreamedBlock {
  readonly providerMetadata?: JsonValue
  readonly suggestions?: string[] | undefined
}

export interface CalledPart {
  readonly kind: "call"
  readonly callId: CallId
  readonly tool: string
  readonly input: JsonValue
  readonly providerMetadata?: JsonValue | undefined
  /** Why the input cannot be used at all. */
  readonly problem?: string | undefined
}

export interface TurnBlocked {
  readonly type: "turn-blocked"
  readonly stepId: StepId
  readonly why: "budget" | "quota"
  readonly message: string
  readonly until?: number | undefined
  readonly waitsFor?: "reservation" | undefined
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
export interface CallReady {
  readonly type: "call-ready"
  readonly callId: CallId
  readonly class: ToolClass
  readonly digest: string
  readonly process?: ToolProcess | undefined
  readonly locks?: readonly HeldLock[] | undefined
  readonly waitMs: number | undefined
}

export interface CallSettled {
  readonly type: "call-settled"
  readonly callId: CallId
  readonly outcome: "done" | "failed"
  readonly output: string
  readonly details?: JsonValue | undefined
  readonly citations?: readonly Citation[] | undefined
  readonly untrustedSource?: string | undefined
}

export interface Compacted {
  readonly type: "compacted"
  readonly compactionId: CompactionId
  readonly summary: string
  readonly upToSeq: number
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
