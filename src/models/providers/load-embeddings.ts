// Embedding models of providers, loaded on first use. Not every provider has them.
import type { EmbeddingModelV4 } from "@ai-sdk/provider"
import type { ProviderType, Reach } from "./provider.ts"
import { common } from "./reach.ts"

type MakeEmbeddings = (reach: Reach, modelId: string) => Promise<EmbeddingModelV4 | undefined>

const makers: Readonly<Record<ProviderType, MakeEmbeddings>> = {
  anthropic: async () => undefined,
  openai: async (reach, modelId) =>
    (await import("@ai-sdk/openai")).createOpenAI(common(reach)).embeddingModel(modelId),
  google: async (reach, modelId) =>
    (await import("@ai-sdk/google")).createGoogle(common(reach)).embeddingModel(modelId),
  "openai-compatible": async (reach, modelId) => {
    const { name, baseURL = "" } = reach.provider
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
    return createOpenAICompatible({ ...common(reach), name, baseURL }).embeddingModel(modelId)
  },
  "amazon-bedrock": async (reach, modelId) =>
    (await import("./amazon-bedrock.ts")).bedrockOf(reach).embeddingModel(modelId),
}

/** Undefined if the provider has none. */
export function loadEmbeddings(reach: Reach, modelId: string): Promise<EmbeddingModelV4 | undefined> {
  return makers[reach.provider.type](reach, modelId)
}
