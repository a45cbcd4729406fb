// What turns text into vectors. Its name stands beside the vectors it made: those of two models cannot be compared.
export interface Embedder {
  readonly name: string
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>
}
