// Document search for sessions and commands. Configurations with equal settings share one search thread. The search is
// loaded with the first query on an existing index.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { Passage } from "../../contract/values.ts"
import type { SearchClient } from "../../knowledge/search/search-client.ts"
import type { Question } from "../../knowledge/search/search.ts"
import type { KnowledgeSetting } from "../../runner/session-context.ts"
import type { KnowledgeSource } from "../../tools/knowledge-search.ts"

/** Default number of passages that are retrieved for a turn. */
const usualPassages = 3

export function indexPath(home: string): string {
  return join(home, "knowledge.db")
}

export class KnowledgeSources {
  readonly #home: string
  readonly #sources = new Map<string, HomeDocuments>()

  constructor(home: string) {
    this.#home = home
  }

  for(config: Config): KnowledgeSetting {
    const { autoRetrieve = usualPassages, embeddings } = config.knowledge ?? {}
    const key = JSON.stringify([embeddings, config.providers])
    const source = this.#sources.get(key) ?? new HomeDocuments(indexPath(this.#home), config)
    this.#sources.set(key, source)
    return { source, autoRetrieve }
  }

  async close(): Promise<void> {
    for (const source of this.#sources.values()) await source.close()
  }
}

class HomeDocuments implements KnowledgeSource {
  readonly #path: string
  readonly #config: Config
  #client: Promise<SearchClient> | undefined

  constructor(path: string, config: Config) {
    this.#path = path
    this.#config = config
  }

  get exists(): boolean {
    return existsSync(this.#path)
  }

  async search(question: Question, signal?: AbortSignal): Promise<readonly Passage[]> {
    if (!this.exists) return []
    this.#client ??= openClient(this.#path, this.#config)
    return (await this.#client).search(question, signal)
  }

  async close(): Promise<void> {
    await (await this.#client)?.close()
  }
}

async function openClient(path: string, config: Config): Promise<SearchClient> {
  const [{ SearchClient: Client }, { embedderOf }] = await Promise.all([
    import("../../knowledge/search/search-client.ts"),
    import("./embedder.ts"),
  ])
  return new Client({ path, embedder: embedderOf(config) })
}
