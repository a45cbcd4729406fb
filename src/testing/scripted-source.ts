// A model source that resolves every name to one scripted model.
import { scriptedModel, type Script, type ScriptedModel, type Step } from "../models/offline/index.ts"
import type { ModelChoice, ModelSource } from "../models/model-source.ts"

export interface ScriptedSource extends ModelSource {
  readonly model: ScriptedModel
}

export function scriptedSource(script: readonly Step[] | Script, facts: Partial<ModelChoice> = {}): ScriptedSource {
  const model = scriptedModel(script)
  const choice = { model, contextWindow: 32_000, maxOutput: 4096, takesPrefill: true, costUsd: () => 0, ...facts }
  return { model, resolve: async (name) => ({ name, ...choice }) }
}
