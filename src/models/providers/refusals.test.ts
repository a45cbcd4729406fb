import { APICallError } from "@ai-sdk/provider"
import { expect, it } from "vitest"
import type { Provider } from "./provider.ts"
import { explainRefusal } from "./refusals.ts"

const provider: Provider = {
  name: "anthropic",
  type: "anthropic",
  baseURL: "https://api.anthropic.com/v1",
  vendorAddress: true,
  headers: undefined,
  region: undefined,
  credentials: { kind: "key", value: "k", source: "ANTHROPIC_API_KEY" },
  problem: undefined,
}
const url = "https://api.anthropic.com/v1/messages"
const notFound = new APICallError({ message: "not found", url, requestBodyValues: {}, statusCode: 404 })

it.each([
  ["claude-sonet-5", "did you mean anthropic/claude-sonnet-5?"],
  ["something-else", "check the name with 'turnhouse models'."],
])("a model %s that the provider does not have is answered with advice", (model, advice) => {
  const fault = explainRefusal(provider, model, () => ["claude-opus-5", "claude-sonnet-5"])(notFound)
  expect(fault).toHaveProperty(
    "message",
    `Provider anthropic has no model ${model} at api.anthropic.com (404): ${advice}`,
  )
})
