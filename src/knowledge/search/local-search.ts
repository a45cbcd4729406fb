// Answers searches from the local index. Reopens the index when its file is replaced, and rebuilds that of an older release.
import { messageOf } from "../../contract/faults.ts"
import { statSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import type { RebuildThreadData } from "../index/rebuild-thread.ts"
import { IndexFault, IndexOutdated, openForReading } from "../index/schema.ts"
import { moduleUrl } from "../../program/program-files.ts"
import { explain } from "./explain.ts"
import { ExplainingReader } from "./explaining-reader.ts"
import { IndexReader } from "./index-reader.ts"
import type { SearchAnswer, SearchRequest, SearchThreadData } from "./search-client.ts"
import { search } from "./search.ts"

type LocalData = Pick<SearchThreadData, "path" | "embedder">

export class LocalSearch {
  readonly #data: LocalData
  #reader: { readonly inode: number; readonly reader: IndexReader } | undefined
  #isRebuilding = false
  #rebuildFault: string | undefined

  constructor(data: LocalData) {
    this.#data = data
  }

  answer({ id, question, vector, isExplained }: SearchRequest): SearchAnswer {
    try {
      const reader = this.#opened()
      if (reader === undefined) return { id, passages: [] }
      const { used, wordsOnly } = this.#usable(reader, vector)
      const found = isExplained
        ? { passages: [], explanation: explain(new ExplainingReader(reader), question, used) }
        : { passages: search(reader, question, used) }
      return { id, ...found, ...(wordsOnly === undefined ? {} : { wordsOnly }) }
    } catch (fault) {
      const isOfIndex = fault instanceof IndexFault
      return { id, fault: messageOf(fault), isOfIndex }
    }
  }

  /** With vectors of another model, or of another length, the search uses words alone. */
  #usable(reader: IndexReader, vector: Float32Array | undefined) {
    const { embedder } = this.#data
    if (vector === undefined || reader.embedder !== embedder) return {}
    const size = reader.vectorSize
    if (size === undefined || size === vector.length) return { used: vector }
    return { wordsOnly: `${embedder} gives vectors of ${vector.length} numbers; those of the index have ${size}` }
  }

  /** An index of an older release is rebuilt in a thread of its own; until then searches are refused. */
  #openOrRebuild(): DatabaseSync | undefined {
    try {
      return openForReading(this.#data.path)
    } catch (fault) {
      if (!(fault instanceof IndexOutdated)) throw fault
      if (this.#rebuildFault !== undefined) throw new IndexFault(this.#rebuildFault)
      if (!this.#isRebuilding) this.#startRebuild()
      throw fault
    }
  }

  #startRebuild(): void {
    this.#isRebuilding = true
    const data: RebuildThreadData = { path: this.#data.path }
    new Worker(moduleUrl("knowledge/index/rebuild-thread"), { workerData: data, execArgv: [] })
      .on("error", (fault) => (this.#rebuildFault = messageOf(fault)))
      .on("exit", () => (this.#isRebuilding = false))
  }

  #opened(): IndexReader | undefined {
    const inode = statSync(this.#data.path, { throwIfNoEntry: false })?.ino
    if (this.#reader !== undefined && this.#reader.inode === inode) return this.#reader.reader
    this.#reader?.reader.close()
    this.#reader = undefined
    const database = inode === undefined ? undefined : this.#openOrRebuild()
    if (database === undefined || inode === undefined) return undefined
    this.#reader = { inode, reader: new IndexReader(database) }
    return this.#reader.reader
  }
}
