// Google's Gemini API with an API key.
import { createGoogle } from "@ai-sdk/google"
import type { MakeModel, Reach } from "./provider.ts"
import { common } from "./reach.ts"

export function googleModels(reach: Reach): MakeModel {
  const google = createGoogle(common(reach))
  return (modelId) => google.languageModel(modelId)
}
