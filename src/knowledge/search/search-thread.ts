// Worker thread that searches, one query at a time, so that sessions never wait for it. Reopens the index when its file
// is replaced, and loads the local embedding model when the index has vectors of it.
import { messageOf } from "../../contract/faults.ts"
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { parentPort, workerData, type MessagePort } from "node:worker_threads"
import { type Embedder, loadLocalEmbedder, localName } from "../embedder.ts"
import { ModelMissing } from "../model-packages.ts"
import { IndexFault, openForReading } from "../index/schema.ts"
import { IndexReader } from "./index-reader.ts"
import type { SearchAnswer, SearchRequest, SearchThreadData } from "./search-client.ts"
import { search } from "./search.ts"

class SearchResources {
  readonly #data: SearchThreadData
  #reader: { readonly inode: number; readonly reader: IndexReader } | undefined
  #embedder: Promise<Embedder> | undefined

  constructor(data: SearchThreadData) {
    this.#data = data
  }

  async answer({ id, question, vector }: SearchRequest): Promise<SearchAnswer> {
    try {
      const reader = this.#opened()
      if (reader === undefined) return { id, passages: [] }
      return { id, passages: search(reader, question, await this.#vectorFor(reader, question.text, vector)) }
    } catch (fault) {
      const isOfIndex = fault instanceof IndexFault
      return { id, fault: messageOf(fault), isOfIndex }
    }
  }

  /** With vectors of another model the search uses words alone. */
  async #vectorFor(reader: IndexReader, text: string, provided: Float32Array | undefined) {
    const { embedder } = this.#data
    if (embedder === undefined || reader.embedder !== embedder) return undefined
    if (embedder !== localName) return provided
    const [vector] = (await (await this.#localEmbedder())?.embed([text])) ?? []
    return vector
  }

  /** Without the model the search uses words alone, until it is installed. */
  async #localEmbedder(): Promise<Embedder | undefined> {
    this.#embedder ??= loadLocalEmbedder(dirname(this.#data.path))
    try {
      return await this.#embedder
    } catch (fault) {
      this.#embedder = undefined
      if (fault instanceof ModelMissing) return undefined
      throw fault
    }
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

function serve(port: MessagePort, data: SearchThreadData): void {
  const resources = new SearchResources(data)
  let tail = Promise.resolve()
  port.on("message", (request: SearchRequest) => {
    tail = tail.then(async () => port.postMessage(await resources.answer(request)))
  })
}

if (parentPort !== null) serve(parentPort, workerData)
