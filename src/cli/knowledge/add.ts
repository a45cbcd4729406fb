// `turnhouse knowledge add`: reads documents into the index, then computes missing vectors. Documents are searchable after
// the first step; the second one resumes after an interruption.
import { dirname } from "node:path"
import type { Config } from "../../contract/config.ts"
import { type Embedder, loadLocalEmbedder } from "../../knowledge/embedder.ts"
import { Extractor } from "../../knowledge/extract/extractor.ts"
import { ModelMissing } from "../../knowledge/model-packages.ts"
import { listDocuments } from "../../knowledge/index/catalogue.ts"
import { embedMissing, missingVectors } from "../../knowledge/index/embed-missing.ts"
import { IndexWriter } from "../../knowledge/index/writer.ts"
import { addDocuments, type Added } from "../../knowledge/ingest/add-documents.ts"
import { findSources, rootOf } from "../../knowledge/ingest/find-sources.ts"
import type { AddOptions, Source } from "../../knowledge/ingest/source.ts"
import type { Redactor } from "../../secrets/redactor.ts"
import type { Args } from "../command.ts"
import { contextOf } from "../context-options.ts"
import { exitCodes } from "../../app/app-fault.ts"
import { indexPath } from "../../app/settings/knowledge.ts"
import { openRedactor } from "../../app/secrets/open-redactor.ts"
import { oneLine } from "../../contract/text/text.ts"
import { printNotice } from "../../app/terminal.ts"
import { writeJson } from "../output.ts"
import { embedderName, embedderOf } from "../../app/settings/embedder.ts"
import { withReadableFaults } from "./explained.ts"
import { addOptions } from "./options.ts"
import { ProgressLine } from "./progress-line.ts"

interface Sum {
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

export async function add(names: readonly string[], args: Args): Promise<number> {
  const { home, config, warnings } = await contextOf(args)
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  const options = addOptions(args)
  const redactor = openRedactor(home, config)
  const target = { path: indexPath(home), config, redactor }
  const sum = await withReadableFaults(() => addAll(target, names, options, args.flag("prune")))
  if (args.flag("json")) writeJson(sum)
  else process.stdout.write(addedText(sum, args.flag("prune")))
  return sum.refused.length > 0 ? exitCodes.failed : exitCodes.done
}

interface Target {
  readonly path: string
  readonly config: Config
  readonly redactor: Redactor
}

async function addAll(
  { path, config, redactor }: Target,
  names: readonly string[],
  options: AddOptions,
  prunes: boolean,
): Promise<Sum> {
  const sum: Sum = { added: [], changed: [], unchanged: 0, refused: [], gone: [], passages: 0, bytes: 0, embedded: 0 }
  const line = new ProgressLine()
  const extractor = new Extractor()
  const writer = new IndexWriter(path)
  try {
    const seen = new Seen(names.map((name) => redactor.text(rootOf(name))))
    const sources = seen.watch(scrubbedSources(allSources(names, extractor), redactor))
    for await (const news of addDocuments(writer, sources, options, Date.now)) {
      note(sum, news)
      line.show(`${count(sum)} documents read: ${oneLine(news.name, 60)}`)
    }
    sum.gone = goneFrom(writer, options.org, seen)
    if (prunes) for (const name of sum.gone) writer.remove(options.org, name)
    writer.flush()
    sum.embedded = await embedAll(writer, path, config, line)
    return sum
  } finally {
    line.clear()
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

async function* scrubbedText(words: AsyncIterable<string>, redactor: Redactor): AsyncGenerator<string> {
  const stream = redactor.stream()
  for await (const piece of words) yield stream.push(piece)
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

function note(sum: Sum, news: Added): void {
  switch (news.kind) {
    case "added":
    case "changed":
      sum[news.kind].push(news.name)
      sum.passages += news.passages
      sum.bytes += news.bytes
      return
    case "unchanged":
      sum.unchanged += 1
      return
    case "refused":
      sum.refused.push({ id: news.name, why: news.why })
      return
  }
}

async function embedAll({ database }: IndexWriter, path: string, config: Config, line: ProgressLine): Promise<number> {
  const [chosen, name] = [embedderOf(config), embedderName(config)]
  if (chosen === undefined || name === undefined || missingVectors(database, name) === 0) return 0
  const embedder = chosen === "local" ? await localEmbedder(path) : chosen
  if (embedder === undefined) return 0
  let embedded = 0
  for await (const { done, of } of embedMissing(database, embedder)) {
    embedded = done
    line.show(`${done} of ${of} passages embedded (${embedder.name})`)
  }
  return embedded
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

function count({ added, changed, unchanged, refused }: Sum): number {
  return added.length + changed.length + unchanged + refused.length
}

function addedText(sum: Sum, pruned: boolean): string {
  const { added, changed, unchanged, refused, gone, passages, embedded } = sum
  const lines = [
    ...refused.map(({ id, why }) => `not read: ${oneLine(id, 100)}: ${oneLine(why, 200)}`),
    `${added.length} added, ${changed.length} changed, ${unchanged} unchanged, ${refused.length} not read; ${passages} passages, ${embedded} embedded`,
    ...(gone.length === 0
      ? []
      : [
          ...gone.map((name) => `${pruned ? "removed" : "gone"}: ${oneLine(name, 100)}`),
          ...(pruned ? [] : [`${gone.length} known documents no longer exist; --prune removes them`]),
        ]),
  ]
  return `${lines.join("\n")}\n`
}
