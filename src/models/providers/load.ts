// Loads provider packages on first use: each takes 60 to 100 ms to import.
import type { MakeModel, ProviderType, Reach } from "./provider.ts"

const adapters: Readonly<Record<ProviderType, () => Promise<(reach: Reach) => MakeModel>>> = {
  anthropic: async () => (await import("./anthropic.ts")).anthropicModels,
  openai: async () => (await import("./openai.ts")).openaiModels,
  google: async () => (await import("./google.ts")).googleModels,
  "openai-compatible": async () => (await import("./openai-compatible.ts")).openaiCompatibleModels,
  "amazon-bedrock": async () => (await import("./amazon-bedrock.ts")).amazonBedrockModels,
}

export async function loadProvider(reach: Reach): Promise<MakeModel> {
  const adapter = await adapters[reach.provider.type]()
  return adapter(reach)
}
