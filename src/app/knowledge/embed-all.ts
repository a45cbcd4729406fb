// Computes the vectors that are missing in the index, with the model of the configuration.
import type { Config } from "../../contract/config.ts"
import { embedMissing, missingVectors } from "../../knowledge/index/embed-missing.ts"
import { IndexFault } from "../../knowledge/index/schema.ts"
import type { IndexWriter } from "../../knowledge/index/writer.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { embedderOf, namesRemovedModel, removedModel } from "../settings/embedder.ts"
import { printNotice } from "../terminal.ts"
import type { IndexWork } from "./open-index.ts"

/** Adds to `sum` how many passages were embedded, or why that failed: documents are found by words without vectors. */
export async function embedAll(
  { database }: IndexWriter,
  { config }: { readonly config: Config },
  { onProgress, signal }: IndexWork,
  sum: EmbeddedPassages,
): Promise<void> {
  if (signal.aborted) return
  if (namesRemovedModel(config)) printNotice(`turnhouse: ${removedModel}. Remove the setting, or name provider/model.`)
  const embedder = embedderOf(config)
  if (embedder === undefined || missingVectors(database, embedder.name) === 0) return
  try {
    for await (const { done, of } of embedMissing(database, embedder, signal)) {
      sum.embedded = done
      onProgress(`${done} of ${of} passages embedded (${embedder.name})`)
      if (signal.aborted) break
    }
  } catch (fault) {
    if (signal.aborted) return
    if (!(fault instanceof ModelUnavailable) && !(fault instanceof IndexFault)) throw fault
    sum.notEmbedded = fault.message
  }
}

export interface EmbeddedPassages {
  embedded: number
  /** Why passages have no vector. */
  notEmbedded?: string
}
