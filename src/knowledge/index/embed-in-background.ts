// Embeds what has no vector of the configured model while a host runs: after a change of the model, or an interruption.
import type { Embedder } from "../embedder.ts"
import { embedMissing, fitsIndex, isBeingEmbedded, missingVectors, startAnew } from "./embed-missing.ts"
import { openForWriting } from "./schema.ts"

/** Resolves when nothing is left to do, or another process does it. `size`: numbers in a vector that the model gives now. */
export async function embedInBackground(
  path: string,
  embedder: Embedder,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  const database = openForWriting(path)
  try {
    if (isBeingEmbedded(database)) return
    if (!fitsIndex(database, size)) startAnew(database, embedder.name)
    if (missingVectors(database, embedder.name) === 0) return
    for await (const _ of embedMissing(database, embedder, signal)) if (signal.aborted) return
  } finally {
    database.close()
  }
}
