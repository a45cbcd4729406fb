// Adds documents to the index and reports the outcome of each. Unchanged documents are skipped; an unreadable one is
// reported, keeps its earlier version, and does not stop the others.
import { lstat } from "node:fs/promises"
import { isAbsolute, sep } from "node:path"
import { systemCode } from "../../contract/faults.ts"
import { ExtractFault } from "../extract/extract-limits.ts"
import { FetchFault } from "../fetch/checked-url.ts"
import { findDocument, type KnownDocument } from "../index/catalogue.ts"
import type { IndexWriter } from "../index/writer.ts"
import { audienceKey } from "../rights.ts"
import { Chunker, type Chunk } from "../text/chunker.ts"
import { SourceGone, UnknownKind, type AddOptions, type Mark, type Source } from "./source.ts"

export type Added =
  | { readonly kind: "added" | "changed"; readonly name: string; readonly bytes: number; readonly passages: number }
  | { readonly kind: "unchanged"; readonly name: string; readonly bytes: number }
  | { readonly kind: "refused"; readonly name: string; readonly reason: string }
  | { readonly kind: "skipped"; readonly name: string }
  | { readonly kind: "gone"; readonly name: string; readonly reason: string }

export async function* addDocuments(
  writer: IndexWriter,
  sources: AsyncIterable<Source>,
  options: AddOptions,
  now: () => number,
): AsyncGenerator<Added> {
  for await (const source of sources) {
    try {
      const added = await addDocument(writer, source, options, now())
      if (added.kind !== "refused") source.stored?.()
      yield added
    } catch (fault) {
      if (fault instanceof SourceGone) {
        const isKnown = writer.has(options.org, source.name)
        yield { kind: isKnown ? "gone" : "refused", name: source.name, reason: fault.message }
        continue
      }
      yield failed(source.name, fault)
    }
  }
}

function failed(name: string, fault: unknown): Added {
  if (fault instanceof UnknownKind) return { kind: "skipped", name }
  const reason = problemOf(fault)
  if (reason === undefined) throw fault
  return { kind: "refused", name, reason }
}

async function addDocument(writer: IndexWriter, source: Source, options: AddOptions, at: number): Promise<Added> {
  const { name, place, root, url } = source
  if (url !== undefined) writer.flush() // releases the write lock while a slow server answers
  const mark = await source.mark()
  const known = findDocument(writer.database, options.org, name)
  const { audience: kept, sets: keptSets = [] } = known ?? options.ofNew ?? {}
  const audience = options.audience === undefined ? kept : options.audience.groups
  const sets = [...(options.sets ?? keptSets)].toSorted()
  const isElsewhere = known !== undefined && known.source !== place
  if (known !== undefined && isSame(known, mark, audience, sets)) {
    const isMoved = isElsewhere ? await isGone(known) : known.root !== root
    if (isMoved) writer.move(options.org, name, { source: place, root })
    return { kind: "unchanged", name, bytes: mark.bytes }
  }
  if (isElsewhere && known.hash !== mark.hash)
    return {
      kind: "refused",
      name,
      reason: `a document of that name came from ${known.source}. Remove that first, with 'turnhouse knowledge rm'.`,
    }
  const document = { org: options.org, name, audience, sets, source: place, root, url, ...mark, addedAt: at }
  const passages = await writer.put(document, chunksOf(source))
  return { kind: known === undefined ? "added" : "changed", name, bytes: mark.bytes, passages }
}

/** Whether its file, or the folder that it was added with, does not exist any more. */
export async function isGone({ source, root }: Pick<KnownDocument, "source" | "root">): Promise<boolean> {
  const path = source.startsWith(`${root}${sep}`) ? source : root
  return isAbsolute(path) && (await lstat(path).then(() => undefined, systemCode)) === "ENOENT"
}

function isSame(
  known: KnownDocument,
  mark: Mark,
  audience: KnownDocument["audience"],
  sets: readonly string[],
): boolean {
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
