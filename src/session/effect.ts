// Side effects that a state requires, as data. The runner performs them.
import type { CallId, CompactionId, InteractionId, StepId, TurnId, VerificationId } from "../contract/ids.ts"
import type { FeatureEffect } from "./feature-types.ts"

export type Effect =
  | { readonly type: "call-model"; readonly id: string; readonly stepId: StepId }
  | { readonly type: "judge"; readonly id: string; readonly turnId: TurnId }
  | { readonly type: "run-call"; readonly id: string; readonly callId: CallId }
  | { readonly type: "compact"; readonly id: string; readonly compactionId: CompactionId }
  | {
      readonly type: "expire-interaction"
      readonly id: string
      readonly interactionId: InteractionId
      readonly at: number
    }
  | { readonly type: "offer-code"; readonly id: string; readonly turnId: TurnId }
  | { readonly type: "send-code"; readonly id: string; readonly verificationId: VerificationId }
  | {
      readonly type: "expire-verification"
      readonly id: string
      readonly verificationId: VerificationId
      readonly at: number
    }
  | { readonly type: "end-park"; readonly id: string; readonly turnId: TurnId; readonly at: number }
  | { readonly type: "await-budget"; readonly id: string; readonly turnId: TurnId }
  | FeatureEffect

type Effects = { [One in Effect as One["type"]]: One }
export type EffectOf<Type extends Effect["type"]> = Effects[Type]
