// OpenAI: the Responses API (newer models accept tools only there) with `store: false`, so that the conversation is
// stored only in our log and reasoning comes back encrypted. At other base URLs: the chat completions API.
import { createOpenAI } from "@ai-sdk/openai"
import { prepared } from "./prepared.ts"
import type { MakeModel, Reach } from "./provider.ts"
import { common } from "./reach.ts"

export function openaiModels(reach: Reach): MakeModel {
  const openai = createOpenAI(common(reach))
  if (!reach.provider.vendorAddress) return (modelId) => openai.chat(modelId)
  return (modelId) =>
    prepared(openai.responses(modelId), (options) => ({
      ...options,
      providerOptions: {
        ...options.providerOptions,
        openai: { store: false, ...options.providerOptions?.["openai"] },
      },
    }))
}
