import type { LanguageModelV4 } from "@ai-sdk/provider"
import { expect, it } from "vitest"
import { explained } from "./wrapped-model.ts"

function broken(): never {
  throw new Error("unsupported option")
}

it("explains an error that a model throws before it returns a promise", async () => {
  const facts = { specificationVersion: "v4", provider: "p", modelId: "m", supportedUrls: {} } as const
  const model: LanguageModelV4 = { ...facts, doGenerate: broken, doStream: broken }
  const wrapped = explained(model, (fault) => new Error("explained", { cause: fault }))
  await expect(wrapped.doGenerate({ prompt: [] })).rejects.toThrow("explained")
  await expect(wrapped.doStream({ prompt: [] })).rejects.toThrow("explained")
})
