// Side effects that a state requires, as data. The runner performs them.
import type { CallId, CompactionId, StepId, TurnId } from "../contract/ids.ts"
import type { FeatureEffect } from "./feature-types.ts"

export type Effect =
  | { readonly type: "call-model"; readonly id: string; readonly stepId: StepId }
  | { readonly type: "run-call"; readonly id: string; readonly callId: CallId }
  | { readonly type: "compact"; readonly id: string; readonly compactionId: CompactionId }
  | { readonly type: "end-park"; readonly id: string; readonly turnId: TurnId; readonly at: number }
  | { readonly type: "await-budget"; readonly id: string; readonly turnId: TurnId }
  | FeatureEffect

type Effects = { [One in Effect as One["type"]]: One }
export type EffectOf<Type extends Effect["type"]> = Effects[Type]
