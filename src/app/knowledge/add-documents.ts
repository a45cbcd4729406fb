// Reads documents into the index, then computes missing vectors. Documents are searchable after the first step; the second
// one resumes after an interruption.
import { dirname } from "node:path"
import type { Config } from "../../contract/config.ts"
import { oneLine } from "../../contract/text/text.ts"
import { type Embedder, loadLocalEmbedder } from "../../knowledge/embedder.ts"
import { Extractor } from "../../knowledge/extract/extractor.ts"
import { listDocuments } from "../../knowledge/index/catalogue.ts"
import { embedMissing, missingVectors } from "../../knowledge/index/embed-missing.ts"
import { IndexWriter } from "../../knowledge/index/writer.ts"
import { addDocuments, type Added } from "../../knowledge/ingest/add-documents.ts"
import { findSources, rootOf } from "../../knowledge/ingest/find-sources.ts"
import type { AddOptions, Source } from "../../knowledge/ingest/source.ts"
import { ModelMissing } from "../../knowledge/model-packages.ts"
import type { Redactor } from "../../secrets/redactor.ts"
import type { AppContext } from "../context.ts"
import { printNotice } from "../terminal.ts"
import { openRedactor } from "../secrets/home-secrets.ts"
import { embedderName, embedderOf } from "../settings/embedder.ts"
import { indexPath } from "../settings/knowledge.ts"
import { withReadableFaults } from "./documents.ts"

export interface AddRequest extends AddOptions {
  /** Files, folders, or files with web addresses. */
  readonly names: readonly string[]
  /** Removes known documents of the same folders whose files are gone. */
  readonly prunes: boolean
  /** Called often, with one line. */
  readonly onProgress: (line: string) => void
}

export interface AddedDocuments {
  readonly added: string[]
  readonly changed: string[]
  unchanged: number
  readonly refused: { readonly id: string; readonly why: string }[]
  /** Known documents of the same folders whose files are gone. */
  gone: string[]
  passages: number
  bytes: number
  embedded: number
}

export function addToIndex({ home, config }: AppContext, request: AddRequest): Promise<AddedDocuments> {
  const redactor = openRedactor(home, config)
  return withReadableFaults(() => addAll({ path: indexPath(home), config, redactor }, request))
}

interface Target {
  readonly path: string
  readonly config: Config
  readonly redactor: Redactor
}

async function addAll(
  { path, config, redactor }: Target,
  { names, prunes, onProgress, ...options }: AddRequest,
): Promise<AddedDocuments> {
  const sum: AddedDocuments = {
    added: [],
    changed: [],
    unchanged: 0,
    refused: [],
    gone: [],
    passages: 0,
    bytes: 0,
    embedded: 0,
  }
  const extractor = new Extractor()
  const writer = new IndexWriter(path)
  try {
    const seen = new Seen(names.map((name) => redactor.text(rootOf(name))))
    const sources = seen.watch(scrubbedSources(allSources(names, extractor), redactor))
    for await (const result of addDocuments(writer, sources, options, Date.now)) {
      note(sum, result)
      onProgress(`${count(sum)} documents read: ${oneLine(result.name, 60)}`)
    }
    sum.gone = goneFrom(writer, options.org, seen)
    if (prunes) for (const name of sum.gone) writer.remove(options.org, name)
    writer.flush()
    sum.embedded = await embedAll(writer, { path, config, onProgress })
    return sum
  } finally {
    writer.close()
    await extractor.close()
  }
}

async function* allSources(names: readonly string[], extractor: Extractor): AsyncGenerator<Source> {
  for (const name of names) yield* findSources(name, extractor)
}

/** Texts and names of documents are redacted before they reach the index. */
async function* scrubbedSources(sources: AsyncIterable<Source>, redactor: Redactor): AsyncGenerator<Source> {
  for await (const source of sources) {
    const { name, place, root, url } = source
    yield {
      name: redactor.text(name),
      place: redactor.text(place),
      root: redactor.text(root),
      url: url === undefined ? undefined : redactor.text(url),
      mark: () => source.mark(),
      text: () => scrubbedText(source.text(), redactor),
    }
  }
}

async function* scrubbedText(text: AsyncIterable<string>, redactor: Redactor): AsyncGenerator<string> {
  const stream = redactor.stream()
  for await (const piece of text) yield stream.push(piece)
  yield stream.end()
}

/** Searched folders with what was found: in an empty one, all known documents are gone. */
class Seen {
  readonly roots: ReadonlySet<string>
  readonly names = new Set<string>()

  constructor(roots: readonly string[]) {
    this.roots = new Set(roots)
  }

  async *watch(sources: AsyncIterable<Source>): AsyncGenerator<Source> {
    for await (const source of sources) {
      this.names.add(source.name)
      yield source
    }
  }
}

function goneFrom(writer: IndexWriter, org: string, { roots, names }: Seen): string[] {
  const known = listDocuments(writer.database, org).filter(({ root }) => roots.has(root))
  const closed = [...names].filter((name) => name.endsWith("/")) // its content is unknown
  return known
    .map(({ name }) => name)
    .filter((name) => !names.has(name) && !closed.some((folder) => name.startsWith(folder)))
}

function note(sum: AddedDocuments, result: Added): void {
  switch (result.kind) {
    case "added":
    case "changed":
      sum[result.kind].push(result.name)
      sum.passages += result.passages
      sum.bytes += result.bytes
      return
    case "unchanged":
      sum.unchanged += 1
      return
    case "refused":
      sum.refused.push({ id: result.name, why: result.reason })
      return
  }
}

async function embedAll(
  { database }: IndexWriter,
  { path, config, onProgress }: Pick<Target, "path" | "config"> & Pick<AddRequest, "onProgress">,
): Promise<number> {
  const [chosen, name] = [embedderOf(config), embedderName(config)]
  if (chosen === undefined || name === undefined || missingVectors(database, name) === 0) return 0
  const embedder = chosen === "local" ? await localEmbedder(path) : chosen
  if (embedder === undefined) return 0
  let embedded = 0
  for await (const { done, of } of embedMissing(database, embedder)) {
    embedded = done
    onProgress(`${done} of ${of} passages embedded (${embedder.name})`)
  }
  return embedded
}

function count({ added, changed, unchanged, refused }: AddedDocuments): number {
  return added.length + changed.length + unchanged + refused.length
}

/** Without the model the documents are found by words. */
async function localEmbedder(path: string): Promise<Embedder | undefined> {
  try {
    return await loadLocalEmbedder(dirname(path))
  } catch (fault) {
    if (!(fault instanceof ModelMissing)) throw fault
    printNotice(`turnhouse: search uses words only: ${fault.message}`)
    return undefined
  }
}
