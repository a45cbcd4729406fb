// The reading of a source, by its kind.
import { readRepository } from "../git/read-repository.ts"
import { folderSources, listedPages, onlyFile, pageSource, placeOf } from "../ingest/find-sources.ts"
import type { Source } from "../ingest/source.ts"
import { readIssueExport } from "../issues/read-issues.ts"
import { readSite } from "../site/read-site.ts"
import { pathFilter } from "./path-filter.ts"
import type { Reading, ReadingContext } from "./reading.ts"
import type { RegisteredSource } from "./registry.ts"

/** `part`: only this path below a folder. */
export function readSource(source: RegisteredSource, context: ReadingContext, part?: string): Reading {
  switch (source.kind) {
    case "git":
      return readRepository(source, context)
    case "issues":
      return readIssueExport(source, context)
    case "site":
      return readSite(source, context)
    case "file":
    case "folder":
    case "page":
    case "list":
      return { documents: simpleDocuments(source, context, part), end: () => ({ isComplete: true }) }
  }
}

async function* simpleDocuments(
  source: RegisteredSource,
  { extractor, skips, memory, known, fetching = {}, signal }: ReadingContext,
  part: string | undefined,
): AsyncGenerator<Source> {
  const { kind, root, prefix, options } = source
  const fetchOptions = { ...fetching, signal }
  if (kind === "folder") yield* folderSources({ root, prefix, part, skips, isWanted: pathFilter(options) }, extractor)
  else if (kind === "list") yield* listedPages(root, extractor, fetchOptions, { memory, known })
  else if (kind === "page") yield pageSource(root, root, extractor, fetchOptions, { memory, known })
  else {
    await placeOf(root) // a file that is gone is a failure of its source
    yield onlyFile(root, prefix, extractor)
  }
}

/** Whether reading it takes longer than writing: the index is not locked meanwhile. */
export function isRemote({ kind }: Pick<RegisteredSource, "kind">): boolean {
  return kind === "page" || kind === "list" || kind === "site"
}
