// Turns text into vectors. Embedding models are those of providers.
export interface Embedder {
  /** Stored with the vectors, because vectors of different models are not comparable. */
  readonly name: string
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
}
