// What comes before the names of the documents of a new file or folder: nothing, or the name of the folder where other
// documents have these names.
import type { DatabaseSync } from "node:sqlite"
import { dirname } from "node:path"
import type { Extractor } from "../extract/extractor.ts"
import { findDocument } from "../index/catalogue.ts"
import { isGone } from "../ingest/add-documents.ts"
import { folderSources, onlyFile } from "../ingest/find-sources.ts"
import type { Source } from "../ingest/source.ts"
import { pathFilter } from "./path-filter.ts"
import { repositoryPrefix } from "./placement.ts"
import type { RegisteredSource } from "./registry.ts"

export interface NewPlace {
  readonly kind: "file" | "folder"
  readonly root: string
  readonly org: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/** `known`: the sources of the organisation that stay. Throws SourceFault for a folder that cannot be read. */
export async function namePrefix(
  database: DatabaseSync,
  place: NewPlace,
  known: readonly RegisteredSource[],
  extractor: Extractor,
): Promise<string> {
  const { kind, root, org } = place
  const roots = new Set(known.map((one) => one.root))
  for await (const { name, place: path } of documentsOf(place, extractor)) {
    const other = findDocument(database, org, name)
    if (other === undefined || other.source === path || !roots.has(other.root) || (await isGone(other))) continue
    const taken = known.map(({ prefix }) => prefix)
    return repositoryPrefix(kind === "folder" ? root : dirname(root), taken)
  }
  return ""
}

async function* documentsOf({ kind, root, ...patterns }: NewPlace, extractor: Extractor): AsyncGenerator<Source> {
  if (kind === "file") yield onlyFile(root, "", extractor)
  else yield* folderSources({ root, isWanted: pathFilter(patterns) }, extractor)
}
