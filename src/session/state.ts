// What `decide` and `requiredEffects` need of a session, and nothing that grows with its length: texts are in the log and
// in projections. Plain JSON, so that a snapshot is the state itself.
import type { EventOf } from "../contract/events.ts"
import type { CallId, CompactionId, PlanId, PromptId, StepId, TurnId, VisitId } from "../contract/ids.ts"
import type { Finish, JsonValue, ToolClass, ToolMode, ToolProcess } from "../contract/values.ts"
import type { FeatureStates } from "./feature-types.ts"

export interface SessionState extends KernelState, FeatureStates {}

export interface KernelState {
  /** The newest event that is folded in. */
  readonly seq: number
  readonly created: EventOf<"session.created"> | undefined
  readonly life: "new" | "open" | "ended"
  /** The session ends once it is idle. */
  readonly endsWhenIdle: boolean
  /** The parent requested that; it no longer holds for an orphan. */
  readonly endsForParent: boolean
  readonly name: string | undefined
  readonly model: string
  readonly toolMode: ToolMode
  /** Prompt ids already used, oldest first, with a digest of each prompt. */
  readonly prompts: readonly PromptMark[]
  /** Admitted, not yet promoted. */
  readonly waiting: readonly EventOf<"prompt.admitted">[]
  readonly turn: TurnState | undefined
  readonly compaction: CompactionId | undefined
  /** What its summary must keep above all. */
  readonly compactionFocus: string | undefined
}

export interface PromptMark {
  readonly id: PromptId
  readonly digest: string
  /** Its event in the log. */
  readonly seq: number
  /** A digest of the sender's name for it. */
  readonly reference: string | undefined
  /** The turn that it is part of. */
  readonly turnId?: TurnId
}

export interface TurnState {
  readonly id: TurnId
  readonly planId: PlanId | undefined
  /** As they were when the turn started: a selection applies from the next turn on. */
  readonly model: string
  readonly toolMode: ToolMode
  /** The skill that the model follows in this turn only. */
  readonly skill: string | undefined
  /** The visit of the prompt that started it. */
  readonly visitId: VisitId | undefined
  /** The log has files for the tools of this turn. */
  readonly hasFiles: boolean
  readonly steps: number
  readonly step: StepState | undefined
  /** The model has answered without a tool call. */
  readonly over: boolean
  /** How the newest response ended. */
  readonly finish: Finish | undefined
  readonly parked: ParkedTurn | undefined
  /** How often the turn was adopted since its last progress. */
  readonly adoptions: number
  /** Steps in a row whose calls were all refused without a decision of a person. */
  readonly refusedSteps: number
}

export interface ParkedTurn {
  readonly why: "budget" | "quota" | "adoption"
  readonly until: number | undefined
  /** It resumes when another model call of the tree releases what it has reserved. */
  readonly waitsFor?: "reservation" | undefined
}

export interface StepState {
  readonly id: StepId
  readonly continues: StepId | undefined
  readonly answered: boolean
  /** How often the context was compacted for this step. */
  readonly compactions: number
  readonly calls: readonly CallState[]
  /** A call ran, or its refusal was not the model's mistake. */
  readonly hasResult: boolean
}

export type CallPhase = "called" | "asked" | "approved" | "started" | "settled"

export interface CallState {
  readonly id: CallId
  readonly tool: string
  readonly input: JsonValue
  readonly phase: CallPhase
  /** A hook has changed the input; hooks that change inputs are not called again. */
  readonly modified: boolean
  /** Digest of the arguments that were approved. */
  readonly approvedDigest: string | undefined
  readonly started: { readonly class: ToolClass; readonly process?: ToolProcess | undefined } | undefined
}

export const initialKernelState: KernelState = {
  seq: 0,
  created: undefined,
  life: "new",
  endsWhenIdle: false,
  endsForParent: false,
  name: undefined,
  model: "",
  toolMode: "Smart",
  prompts: [],
  waiting: [],
  turn: undefined,
  compaction: undefined,
  compactionFocus: undefined,
}

export function isBusy(state: SessionState): boolean {
  return state.turn !== undefined || state.compaction !== undefined
}

export function openCalls(state: SessionState): readonly CallState[] {
  return state.turn?.step?.calls.filter((call) => call.phase !== "settled") ?? []
}

export function findCall(state: SessionState, callId: CallId): CallState | undefined {
  return openCalls(state).find((call) => call.id === callId)
}

/** What folds change of the open turn. Where no turn, step or call is open they change nothing. */
export type OpenTurn = Pick<KernelState, "turn">

export function withTurn({ turn }: OpenTurn, change: Partial<TurnState>): OpenTurn {
  return { turn: turn === undefined ? undefined : { ...turn, ...change } }
}

export function withStep(state: OpenTurn, change: Partial<StepState>): OpenTurn {
  const step = state.turn?.step
  return step === undefined ? { turn: state.turn } : withTurn(state, { step: { ...step, ...change } })
}

export function withCall(state: OpenTurn, callId: CallId, change: Partial<CallState>): OpenTurn {
  const calls = state.turn?.step?.calls ?? []
  return withStep(state, { calls: calls.map((call) => (call.id === callId ? { ...call, ...change } : call)) })
}
