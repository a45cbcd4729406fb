// Turns text into vectors. Its name is stored with the vectors, because vectors of different models are not comparable.
export interface Embedder {
  readonly name: string
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
}
