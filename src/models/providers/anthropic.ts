// Anthropic's Messages API, at Anthropic or wherever the provider's address points.
import { createAnthropic } from "@ai-sdk/anthropic"
import { prepared } from "./prepared.ts"
import type { MakeModel, Reach } from "./provider.ts"
import { common } from "./reach.ts"

export function anthropicModels(reach: Reach): MakeModel {
  const anthropic = createAnthropic(common(reach))
  return (modelId) =>
    prepared(anthropic.languageModel(modelId), (options) => ({
      ...options,
      providerOptions: {
        ...options.providerOptions,
        // Pings are the only sign of life while a model thinks without showing it.
        anthropic: { includePings: true, ...options.providerOptions?.["anthropic"] },
      },
    }))
}
