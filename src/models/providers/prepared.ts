// Wraps a model: changes the options of its calls, or maps its errors.
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"

type Prepare = (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions

export function prepared(model: LanguageModelV4, prepare: Prepare): LanguageModelV4 {
  return {
    ...facts(model),
    doGenerate: (options) => model.doGenerate(prepare(options)),
    doStream: (options) => model.doStream(prepare(options)),
  }
}

/** `explain` maps what a call threw to what is thrown instead. */
export function explained(model: LanguageModelV4, explain: (fault: unknown) => unknown): LanguageModelV4 {
  return {
    ...facts(model),
    doGenerate: (options) => explaining(() => model.doGenerate(options), explain),
    doStream: (options) => explaining(() => model.doStream(options), explain),
  }
}

function facts(model: LanguageModelV4) {
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return { specificationVersion, provider, modelId, supportedUrls }
}

async function explaining<Value>(call: () => PromiseLike<Value>, explain: (fault: unknown) => unknown): Promise<Value> {
  try {
    return await call()
  } catch (fault) {
    throw explain(fault)
  }
}
