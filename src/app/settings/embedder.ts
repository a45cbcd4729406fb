// The configured embedding model for document search: a provider's, or none, which is the default.
import type { Config } from "../../contract/config.ts"
import { ProviderEmbedder } from "../../models/embedding.ts"
import { learnSecret } from "../secrets/home-secrets.ts"
import { environmentRedactor } from "../secrets/redacted-stderr.ts"

export function embedderOf(config: Config): ProviderEmbedder | undefined {
  const name = embedderName(config)
  const redact = (text: string) => environmentRedactor(config).text(text)
  return name === undefined
    ? undefined
    : new ProviderEmbedder(name, { config, env: process.env, onSecret: learnSecret, redact })
}

/** As it is stored with the vectors. */
export function embedderName(config: Config): string | undefined {
  const { embeddings = "off" } = config.knowledge ?? {}
  return embeddings === "off" || namesRemovedModel(config) ? undefined : embeddings
}

/** Earlier releases had a model of their own. Their configuration works as if it had none. */
export function namesRemovedModel({ knowledge }: Config): boolean {
  return knowledge?.embeddings === "local"
}

export const removedModel =
  'knowledge.embeddings is "local", but this release has no model of its own: documents are found by words'
