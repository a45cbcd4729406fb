// OpenAI itself is asked through its Responses API (newer models take tools there only), with `store: false`: the
// conversation lives in our log and nowhere else, and reasoning comes back encrypted to be sent again. At any other
// address the chat completions API is spoken, which is what gateways and imitations have.
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
