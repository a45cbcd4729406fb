// Document search for sessions and commands. Configurations with equal settings share one search thread. The search is
// loaded with the first query on an existing index.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { Passage } from "../../contract/values.ts"
import type { DocumentSearch } from "../../contract/views/documents.ts"
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
    const key = JSON.stringify([embeddings, config.providers])
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

  constructor(path: string, config: Config, embeds: boolean) {
    this.#path = path
    this.#config = config
    this.#embeds = embeds
  }

  get exists(): boolean {
    return existsSync(this.#path)
  }

  async search(question: Question, signal?: AbortSignal): Promise<readonly Passage[]> {
    if (!this.exists) return []
    this.#client ??= openClient(this.#path, this.#config, this.#embeds)
    return (await this.#client).search(question, signal)
  }

  /** As `search`, with the reasons. Undefined without an index. */
  async explain(question: Question): Promise<DocumentSearch | undefined> {
    if (!this.exists) return undefined
    this.#client ??= openClient(this.#path, this.#config, this.#embeds)
    return (await this.#client).explain(question)
  }

  async close(): Promise<void> {
    await (await this.#client)?.close()
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

async function openClient(path: string, config: Config, embeds: boolean): Promise<SearchClient> {
  const [{ SearchClient: Client }, { embedderOf }] = await Promise.all([
    import("../../knowledge/search/search-client.ts"),
    import("./embedder.ts"),
  ])
  return new Client({ path, embedder: embedderOf(config), onWordsOnly, ...(embeds ? { onEmbeddingFailed } : {}) })
}

function onWordsOnly(reason: string): void {
  printNotice(`turnhouse: documents are searched by words only, because the embedding model fails: ${reason}`)
}

function onEmbeddingFailed(reason: string): void {
  printNotice(
    `turnhouse: passages without vectors could not be embedded: ${reason}. Run 'turnhouse knowledge add' again.`,
  )
}
