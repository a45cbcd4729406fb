// Document search for sessions and commands, in the index of the home or in PostgreSQL. Configurations with equal settings
// share one search thread. The search is loaded with the first query on existing documents.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { Passage } from "../../contract/values.ts"
import type { DocumentSearch } from "../../contract/views/documents.ts"
import type { Database } from "../../postgres/database.ts"
import type { SearchClient } from "../../knowledge/search/search-client.ts"
import type { Question } from "../../knowledge/search/search.ts"
import type { KnowledgeSetting } from "../../runner/session-context.ts"
import type { KnowledgeSource } from "../../tools/knowledge-search.ts"
import { printNotice } from "../terminal.ts"

/** Default number of passages that are retrieved for a turn. */
const usualPassages = 3

export function indexPath(home: string): string {
  return join(home, "knowledge.db")
}

/** The address of the PostgreSQL database whose documents all nodes search; undefined where they are in the home. */
export function documentDatabase({ store }: Config): string | undefined {
  return store?.type === "postgres" ? store.url : undefined
}

export class KnowledgeSources {
  readonly #home: string
  readonly #embeds: boolean
  readonly #sources = new Map<string, HomeDocuments>()

  /** A host `embeds` passages without a vector in the background; a command that searches once does not begin that. */
  constructor(home: string, { embeds = false } = {}) {
    this.#home = home
    this.#embeds = embeds
  }

  for(config: Config): KnowledgeSetting & { readonly source: HomeDocuments } {
    const { autoRetrieve = usualPassages, embeddings } = config.knowledge ?? {}
    const key = JSON.stringify([embeddings, config.providers, config.store])
    const source = this.#sources.get(key) ?? new HomeDocuments(indexPath(this.#home), config, this.#embeds)
    this.#sources.set(key, source)
    return { source, autoRetrieve }
  }

  async close(): Promise<void> {
    for (const source of this.#sources.values()) await source.close()
  }
}

export class HomeDocuments implements KnowledgeSource {
  readonly #path: string
  readonly #config: Config
  readonly #embeds: boolean
  #client: Promise<SearchClient> | undefined
  #database: Promise<Database> | undefined

  constructor(path: string, config: Config, embeds: boolean) {
    this.#path = path
    this.#config = config
    this.#embeds = embeds
  }

  /** Of documents in PostgreSQL that is not known: they are those of all nodes. */
  get exists(): boolean {
    return this.#url !== undefined || existsSync(this.#path)
  }

  get #url(): string | undefined {
    return documentDatabase(this.#config)
  }

  async search(question: Question, signal?: AbortSignal): Promise<readonly Passage[]> {
    return this.exists ? (await this.#opened()).search(question, signal) : []
  }

  /** As `search`, with the reasons. Undefined without an index. */
  async explain(question: Question): Promise<DocumentSearch | undefined> {
    return this.exists ? (await this.#opened()).explain(question) : undefined
  }

  /** The database with the documents; undefined where they are in the index of the home. Throws DatabaseFault. */
  async database(): Promise<Database | undefined> {
    const url = this.#url
    if (url === undefined) return undefined
    this.#database ??= openDatabase(url)
    try {
      return await this.#database
    } catch (fault) {
      this.#database = undefined // the next query connects again
      throw fault
    }
  }

  async close(): Promise<void> {
    await (await settled(this.#client))?.close()
    await (await settled(this.#database))?.close()
  }

  async #opened(): Promise<SearchClient> {
    this.#client ??= this.#openClient()
    try {
      return await this.#client
    } catch (fault) {
      this.#client = undefined // the next search looks again
      throw fault
    }
  }

  async #openClient(): Promise<SearchClient> {
    const [{ SearchClient: Client }, { embedderOf }] = await Promise.all([
      import("../../knowledge/search/search-client.ts"),
      import("./embedder.ts"),
    ])
    const embedder = embedderOf(this.#config)
    const place = { path: this.#path, database: this.#url, embedder, onWordsOnly }
    const database = embedder === undefined ? undefined : await this.database()
    if (database !== undefined) {
      const { openVectors } = await import("../../knowledge/postgres/vectors.ts")
      await openVectors(database) // before a question is sent to the provider
    }
    return new Client({ ...place, ...(this.#embeds && this.#url === undefined ? { onEmbeddingFailed } : {}) })
  }
}

async function openDatabase(url: string): Promise<Database> {
  const { openDocuments } = await import("../../knowledge/postgres/tables.ts")
  return openDocuments(url)
}

/** Undefined also if it has failed. */
async function settled<Value>(value: Promise<Value> | undefined): Promise<Value | undefined> {
  try {
    return await value
  } catch {
    return undefined
  }
}

/** Only the documents of some sets; of none if there are no names. Rights apply first. */
export class DocumentsInSets implements KnowledgeSource {
  readonly #source: KnowledgeSource
  readonly #sets: readonly string[]

  constructor(source: KnowledgeSource, sets: readonly string[]) {
    this.#source = source
    this.#sets = sets
  }

  get exists(): boolean {
    return this.#sets.length > 0 && this.#source.exists
  }

  async search(question: Question, signal?: AbortSignal): Promise<readonly Passage[]> {
    return this.exists ? this.#source.search({ ...question, sets: this.#sets }, signal) : []
  }
}

function onWordsOnly(reason: string): void {
  printNotice(`turnhouse: documents are searched by words only, because the embedding model fails: ${reason}`)
}

function onEmbeddingFailed(reason: string): void {
  printNotice(
    `turnhouse: passages without vectors could not be embedded: ${reason}. Run 'turnhouse knowledge add' again.`,
  )
}
