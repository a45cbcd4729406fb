// Resources of the search worker: the index, reopened when its file is replaced, and the local embedding model, loaded
// when the index has vectors of it.
import { statSync } from "node:fs"
import type { Embedder } from "../embed/embedder.ts"
import { loadLocalEmbedder, localName } from "../embed/local-embedder.ts"
import { openForReading } from "../index/schema.ts"
import { IndexReader } from "./index-reader.ts"
import { search } from "./search.ts"
import type { SearchRequest, SearchThreadData } from "./search-client.ts"

export class SearchResources {
  readonly #data: SearchThreadData
  #reader: { readonly inode: number; readonly reader: IndexReader } | undefined
  #embedder: Promise<Embedder> | undefined

  constructor(data: SearchThreadData) {
    this.#data = data
  }

  async search({ question, vector }: SearchRequest) {
    const reader = this.#opened()
    if (reader === undefined) return []
    return search(reader, question, await this.#vectorFor(reader, question.text, vector))
  }

  /** With vectors of another model the search uses words alone. */
  async #vectorFor(reader: IndexReader, text: string, given: Float32Array | undefined) {
    const { embedder } = this.#data
    if (embedder === undefined || reader.embedder !== embedder) return undefined
    if (embedder !== localName) return given
    this.#embedder ??= loadLocalEmbedder()
    const [vector] = await (await this.#embedder).embed([text])
    return vector
  }

  #opened(): IndexReader | undefined {
    const inode = statSync(this.#data.path, { throwIfNoEntry: false })?.ino
    if (this.#reader !== undefined && this.#reader.inode === inode) return this.#reader.reader
    this.#reader?.reader.close()
    this.#reader = undefined
    const database = inode === undefined ? undefined : openForReading(this.#data.path)
    if (database === undefined || inode === undefined) return undefined
    this.#reader = { inode, reader: new IndexReader(database) }
    return this.#reader.reader
  }
}
