// Adds documents to the index and reports the outcome of each. Unchanged documents are skipped; an unreadable one is
// reported, keeps its earlier version, and does not stop the others.
import { ExtractFault } from "../extract/extract-limits.ts"
import { FetchFault } from "../fetch/checked-url.ts"
import { findDocument, type DocumentLine } from "../index/catalogue.ts"
import type { IndexWriter } from "../index/writer.ts"
import { audienceKey } from "../rights.ts"
import { Chunker, type Chunk } from "../text/chunker.ts"
import type { AddOptions, Mark, Source } from "./source.ts"

export type Added =
  | { readonly kind: "added" | "changed"; readonly name: string; readonly bytes: number; readonly passages: number }
  | { readonly kind: "unchanged"; readonly name: string; readonly bytes: number }
  | { readonly kind: "refused"; readonly name: string; readonly reason: string }

export async function* addDocuments(
  writer: IndexWriter,
  sources: AsyncIterable<Source>,
  options: AddOptions,
  now: () => number,
): AsyncGenerator<Added> {
  for await (const source of sources) {
    try {
      yield await addDocument(writer, source, options, now())
    } catch (fault) {
      const reason = problemOf(fault)
      if (reason === undefined) throw fault
      yield { kind: "refused", name: source.name, reason }
    }
  }
}

async function addDocument(writer: IndexWriter, source: Source, options: AddOptions, at: number): Promise<Added> {
  const { name, place, root, url } = source
  if (url !== undefined) writer.flush() // releases the write lock while a slow server answers
  const mark = await source.mark()
  const known = findDocument(writer.database, options.org, name)
  const audience = options.audience === undefined ? known?.audience : options.audience.groups
  const sets = [...(options.sets ?? known?.sets ?? [])].toSorted()
  if (known !== undefined && isSame(known, mark, audience, sets)) return { kind: "unchanged", name, bytes: mark.bytes }
  if (known !== undefined && known.source !== place && known.hash !== mark.hash)
    return {
      kind: "refused",
      name,
      reason: `another document of that name came from ${known.source}; remove that first`,
    }
  const document = { org: options.org, name, audience, sets, source: place, root, url, ...mark, addedAt: at }
  const passages = await writer.put(document, chunksOf(source))
  return { kind: known === undefined ? "added" : "changed", name, bytes: mark.bytes, passages }
}

function isSame(known: DocumentLine, mark: Mark, audience: DocumentLine["audience"], sets: readonly string[]): boolean {
  return (
    known.hash === mark.hash &&
    audienceKey(known.audience) === audienceKey(audience) &&
    known.sets.join("\n") === sets.join("\n")
  )
}

async function* chunksOf(source: Source): AsyncGenerator<readonly Chunk[]> {
  const chunker = new Chunker()
  for await (const piece of source.text()) yield chunker.push(piece)
  yield chunker.end()
}

/** Faults of the document itself; others are rethrown. */
function problemOf(fault: unknown): string | undefined {
  if (fault instanceof ExtractFault || fault instanceof FetchFault) return fault.message
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : ""
  return ["ENOENT", "EACCES", "EPERM", "EISDIR", "ELOOP", "ENOTDIR", "ENAMETOOLONG"].includes(code)
    ? `it cannot be opened (${code})`
    : undefined
}
