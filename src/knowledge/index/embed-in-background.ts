// Embeds what has no vector of the configured model while a host runs: after a change of the model, or an interruption.
import type { Embedder } from "../embedder.ts"
import { embedMissing, fitsIndex, isBeingEmbedded, missingVectors, startAnew } from "./embed-missing.ts"
import { openForWriting } from "./schema.ts"

/** False if another process does it. `size`: numbers in a vector that the model gives now. */
export async function embedInBackground(
  path: string,
  embedder: Embedder,
  size: number,
  signal: AbortSignal,
): Promise<boolean> {
  const database = openForWriting(path)
  try {
    if (isBeingEmbedded(database)) return false
    if (!fitsIndex(database, size)) startAnew(database, embedder.name)
    if (missingVectors(database, embedder.name) === 0) return true
    for await (const _ of embedMissing(database, embedder, signal)) if (signal.aborted) break
    return true
  } finally {
    database.close()
  }
}
