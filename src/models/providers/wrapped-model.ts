// Models with other options or other faults than those of the provider packages.
import type { JSONObject, LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"

/** Options of a call take precedence. */
export function withDefaults(model: LanguageModelV4, vendor: string, defaults: JSONObject): LanguageModelV4 {
  const prepare = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions => {
    const { providerOptions } = options
    return {
      ...options,
      providerOptions: { ...providerOptions, [vendor]: { ...defaults, ...providerOptions?.[vendor] } },
    }
  }
  return {
    ...facts(model),
    doGenerate: (options) => model.doGenerate(prepare(options)),
    doStream: (options) => model.doStream(prepare(options)),
  }
}

/** `explain` maps what a call threw to what is thrown instead. */
export function explained(model: LanguageModelV4, explain: (fault: unknown) => unknown): LanguageModelV4 {
  const explaining = async <Value>(call: () => PromiseLike<Value>): Promise<Value> => {
    try {
      return await call()
    } catch (fault) {
      throw explain(fault)
    }
  }
  return {
    ...facts(model),
    doGenerate: (options) => explaining(() => model.doGenerate(options)),
    doStream: (options) => explaining(() => model.doStream(options)),
  }
}

function facts({ specificationVersion, provider, modelId, supportedUrls }: LanguageModelV4) {
  return { specificationVersion, provider, modelId, supportedUrls }
}
