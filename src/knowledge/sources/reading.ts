// How a kind of source gives its documents: one after the other, then whether it was read to its end.
import type { Extractor } from "../extract/extractor.ts"
import type { FetchOptions } from "../fetch/fetch-page.ts"
import type { Mark, Source } from "../ingest/source.ts"
import type { PageMemory } from "./page-memory.ts"

export interface Reading {
  readonly documents: AsyncIterable<Source>
  /** To be called after the last document. */
  end(): ReadingEnd
}

export interface ReadingEnd {
  /** What was not found no longer exists. */
  readonly isComplete: boolean
  /** What the user should know, such as the limit that ended it. */
  readonly note?: string | undefined
  /** Stored if everything was read. */
  readonly revision?: string | undefined
}

export interface ReadingContext {
  readonly extractor: Extractor
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
  /** Folder for copies of repositories; it can be deleted at any time. */
  readonly cache: string
  readonly memory: PageMemory
  /** The indexed document of this name, if it is of this source and may be left as it is. */
  readonly known: (name: string) => Mark | undefined
  /** Full paths inside of a folder that belong to other sources. */
  readonly skips: ReadonlySet<string>
  /** For tests: how pages are fetched. */
  readonly fetching?: FetchOptions
  /** Between two requests to a site whose robots.txt names no time. */
  readonly delayMs?: number
}
