// The configured embedding model for document search.
import type { Config } from "../../contract/config.ts"
import { localName } from "../../knowledge/embedder.ts"
import { ProviderEmbedder } from "../../models/embedding.ts"
import { learnSecret } from "../secrets/home-secrets.ts"

/** `local`, a provider's model, or nothing if vectors are disabled. */
export function embedderOf(config: Config): "local" | ProviderEmbedder | undefined {
  const { embeddings = "local" } = config.knowledge ?? {}
  if (embeddings === "off") return undefined
  return embeddings === "local"
    ? "local"
    : new ProviderEmbedder(embeddings, { config, env: process.env, onSecret: learnSecret })
}

/** As it is stored with the vectors. */
export function embedderName(config: Config): string | undefined {
  const embedder = embedderOf(config)
  return embedder === "local" ? localName : embedder?.name
}
