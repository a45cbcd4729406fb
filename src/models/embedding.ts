// A provider's embedding model by name, as `provider/model`. Nothing is loaded or sent before the first call, which
// throws if the configuration is incomplete.
import { lateKey, type OnSecret } from "./credentials/late-key.ts"
import type { EmbeddingModelV4 } from "@ai-sdk/provider"
import type { Config } from "../contract/config.ts"
import { faultSentence } from "./fault-sentence.ts"
import { ModelUnavailable } from "./model-source.ts"
import { split } from "./model-name.ts"
import { localServers } from "./providers/builtin.ts"
import { connect } from "./providers/connect.ts"
import type { Environment, Fetch } from "./providers/provider.ts"
import { explainRefusal } from "./providers/refusals.ts"
import { findProvider } from "./providers/settings.ts"

export interface EmbeddingOptions {
  readonly config: Pick<Config, "providers">
  readonly env: Environment
  readonly fetch?: Fetch
  readonly onSecret?: OnSecret
  /** Takes known secrets out of what a provider says. */
  readonly redact: (text: string) => string
}

/** Timeout of one batch. */
const BATCH_TIMEOUT_MS = 60_000

interface Loaded {
  readonly model: EmbeddingModelV4
  /** Maps a refusal of the provider to what the user can do about it. */
  readonly explain: (fault: unknown) => unknown
}

export class ProviderEmbedder {
  readonly name: string
  readonly #options: EmbeddingOptions
  #loaded: Promise<Loaded> | undefined

  constructor(name: string, options: EmbeddingOptions) {
    this.name = name
    this.#options = options
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    this.#loaded ??= this.#load()
    const loaded = await this.#loaded
    const batchSize = (await loaded.model.maxEmbeddingsPerCall) ?? texts.length
    const vectors: Float32Array[] = []
    for (let start = 0; start < texts.length; start += batchSize) {
      vectors.push(...(await ask(loaded, this.#options, texts.slice(start, start + batchSize), signal)))
    }
    return vectors
  }

  async #load(): Promise<Loaded> {
    const { config, env, fetch, onSecret = () => {} } = this.#options
    const sources = { configured: config.providers ?? {}, env, localServers }
    const found = split(this.name, { isProvider: (name) => findProvider(name, sources) !== undefined })
    const provider = found === undefined ? undefined : findProvider(found.provider, sources)
    if (found === undefined || provider === undefined)
      throw new ModelUnavailable(`knowledge.embeddings: there is no provider for "${this.name}".`)
    if (provider.problem !== undefined) throw new ModelUnavailable(provider.problem)
    const { name, credentials } = provider
    const key = credentials.kind === "late" ? lateKey(credentials, name, onSecret) : undefined
    const client = await connect({ provider, fetch, key, onSecret })
    if (client.embeddingModel === undefined)
      throw new ModelUnavailable(`Provider ${provider.name} has no embedding models.`)
    return { model: client.embeddingModel(found.model), explain: explainRefusal(provider, found.model) }
  }
}

async function ask(
  { model, explain }: Loaded,
  { redact }: Pick<EmbeddingOptions, "redact">,
  values: string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const timeout = AbortSignal.timeout(BATCH_TIMEOUT_MS)
  const abortSignal = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  try {
    const { embeddings } = await model.doEmbed({ values, abortSignal })
    if (embeddings.length !== values.length)
      throw new ModelUnavailable(`${model.modelId} gave ${embeddings.length} vectors for ${values.length} texts.`)
    return checked(
      embeddings.map((vector) => Float32Array.from(vector)),
      model.modelId,
    )
  } catch (fault) {
    const cause = explain(fault)
    throw new ModelUnavailable(faultSentence(cause, redact), { cause })
  }
}

/** Vectors that could not be compared would make every search by meaning wrong. */
function checked(vectors: Float32Array[], model: string): Float32Array[] {
  const size = vectors[0]?.length
  if (vectors.some((vector) => vector.length === 0 || vector.length !== size))
    throw new ModelUnavailable(`${model} gave vectors of different lengths.`)
  if (vectors.some((vector) => !vector.every(Number.isFinite)))
    throw new ModelUnavailable(`${model} gave a vector with values that are not numbers.`)
  return vectors
}
