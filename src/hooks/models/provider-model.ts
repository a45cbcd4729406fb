// Models of an extension as language models: a call becomes a request to the extension's process. Calls with tools are
// not streamed, because only a complete result can contain tool calls.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider"
import { extensionModelName, type ExtensionModel } from "../../contract/rules/extension-model.ts"
import type { ProviderModelSpec, ProviderSpec } from "../../protocols/extension/frames.ts"
import { hasCapability } from "../../protocols/extension/providers.ts"
import { modelRequest } from "./model-request.ts"
import { callProvider, ExtensionModelFault, type ProviderCall, type ProviderLine } from "./provider-call.ts"
import type { Started } from "../process/extension.ts"

export interface ProvidedModel {
  /** `extension:provider:model` */
  readonly name: string
  readonly provider: string
  readonly id: string
  readonly displayName: string
  /** Absent when the extension does not declare it. */
  readonly contextWindow: number | undefined
  readonly takesTools: boolean
  readonly language: LanguageModelV4
}

export function extensionModels(providers: readonly ProviderSpec[], line: ProviderLine): readonly ProvidedModel[] {
  return providers.flatMap((provider) => provider.models.map((model) => asExtensionModel(provider, model, line)))
}

function asExtensionModel({ id: provider }: ProviderSpec, spec: ProviderModelSpec, line: ProviderLine): ProvidedModel {
  const { extension } = line
  const name = extensionModelName({ extension, provider, model: spec.id })
  const takesTools = hasCapability(spec, "tool_use")
  const signedBy = `${extension}:${provider}`
  const requested = { providerId: provider, modelId: spec.id, name, signedBy, takesTools }
  const callOf = (options: LanguageModelV4CallOptions, mayStream: boolean): ProviderCall => {
    const params = modelRequest(requested, options)
    const streams = mayStream && hasCapability(spec, "streaming") && params.tools.length === 0
    return { method: streams ? "provider.stream" : "provider.complete", params, signedBy }
  }
  return {
    name,
    provider,
    id: spec.id,
    displayName: spec.display_name?.trim() || spec.id,
    contextWindow: spec.context_window || undefined,
    takesTools,
    language: {
      specificationVersion: "v4",
      provider: signedBy,
      modelId: spec.id,
      supportedUrls: { "*/*": [/^https?:/] }, // URLs are passed to the extension
      doStream: async (options) => ({ stream: streamOf(line, callOf(options, true), options.abortSignal) }),
      doGenerate: (options) => generate(line, callOf(options, false), options.abortSignal),
    },
  }
}

/** Starts with a keep-alive part: time in the extension's queue must not count as silence of the model. */
function streamOf(
  line: ProviderLine,
  call: ProviderCall,
  signal?: AbortSignal,
): ReadableStream<LanguageModelV4StreamPart> {
  const cancelled = new AbortController()
  const stop = signal === undefined ? cancelled.signal : AbortSignal.any([signal, cancelled.signal])
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] })
      controller.enqueue({ type: "ping" })
      callProvider(line, call, stop, (part) => controller.enqueue(part)).then(
        () => cancelled.signal.aborted || controller.close(),
        (fault: unknown) => cancelled.signal.aborted || controller.error(fault),
      )
    },
    cancel: (reason) => cancelled.abort(reason),
  })
}

async function generate(
  line: ProviderLine,
  call: ProviderCall,
  signal = new AbortController().signal,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  let result: LanguageModelV4GenerateResult | undefined
  await callProvider(line, call, signal, (part) => {
    if (part.type === "text-delta") content.push({ type: "text", text: part.delta })
    if (part.type === "reasoning-delta") content.push({ type: "reasoning", text: part.delta })
    if (part.type === "tool-call") content.push(part)
    if (part.type === "finish") result = { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
  })
  if (result === undefined) throw new ExtensionModelFault(`extension ${line.extension} did not finish its answer`)
  return result
}

export type FoundModel =
  | { readonly kind: "found"; readonly model: ProvidedModel }
  | { readonly kind: "missing"; readonly reason: string }

/** An extension as far as its models are concerned. */
interface ModelExtension {
  readonly id: string
  readonly started: Promise<Started>
  readonly models: readonly ProvidedModel[]
}

/** Waits for the extension to start, without a limit: no other provider has the model. */
export async function findModel(
  extensions: readonly ModelExtension[],
  { extension: id, provider, model }: ExtensionModel,
): Promise<FoundModel> {
  const extension = extensions.find((one) => one.id === id)
  if (extension === undefined) return missing(`this session has no extension '${id}'`)
  const started = await extension.started
  if (started.kind === "failed") return missing(`extension ${id} was not loaded: ${started.reason}`)
  const ofProvider = extension.models.filter((one) => one.provider === provider)
  if (ofProvider.length === 0) {
    const providers = extension.models.map((one) => one.provider)
    return missing(`extension ${id} has ${notFoundMessage("provider", provider, providers)}`)
  }
  const found = ofProvider.find((one) => one.id === model)
  if (found !== undefined) return { kind: "found", model: found }
  const models = ofProvider.map((one) => one.id)
  return missing(`the provider ${provider} of extension ${id} has ${notFoundMessage("model", model, models)}`)
}

function notFoundMessage(what: string, name: string, available: readonly string[]): string {
  return available.length === 0 ? `no ${what}s` : `no ${what} '${name}', only ${[...new Set(available)].join(", ")}`
}

function missing(reason: string): FoundModel {
  return { kind: "missing", reason }
}
