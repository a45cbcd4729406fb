// What the client of a provider is made of, and what it gives.
import type { EmbeddingModelV4 } from "@ai-sdk/provider"
import type { LateKey, OnSecret } from "../credentials/late-key.ts"
import type { Fetch, MakeModel, Provider } from "./provider.ts"

/** Creates models of one provider; sends nothing before a model is called. */
export interface ProviderClient {
  readonly languageModel: MakeModel
  /** Absent if the provider has no embedding models. */
  readonly embeddingModel?: (modelId: string) => EmbeddingModelV4
}

export interface Connection {
  readonly provider: Provider
  readonly fetch: Fetch | undefined
  /** Set where the key is read when a call needs it. */
  readonly key?: LateKey | undefined
  readonly onSecret?: OnSecret | undefined
}
