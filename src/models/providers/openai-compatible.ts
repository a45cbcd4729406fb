// Servers with OpenAI's chat completions API: Ollama, vLLM, LM Studio, gateways. A key is sent if there is one.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { MakeModel, Reach } from "./provider.ts"
import { common } from "./reach.ts"

export function openaiCompatibleModels(reach: Reach): MakeModel {
  const { name, baseURL } = reach.provider
  const server = createOpenAICompatible({ ...common(reach), name, baseURL: baseURL ?? "", includeUsage: true })
  return (modelId) => server.chatModel(modelId)
}
