// Documents of a site: its pages, by their addresses.
import { FetchFault } from "../fetch/checked-url.ts"
import { pageText } from "../ingest/find-sources.ts"
import { SourceFault } from "../ingest/source-fault.ts"
import { markOf, SourceGone, type Source } from "../ingest/source.ts"
import { pathFilter } from "../sources/path-filter.ts"
import type { Reading, ReadingContext, ReadingEnd } from "../sources/reading.ts"
import type { RegisteredSource } from "../sources/registry.ts"
import { Crawl, type Visit } from "./crawl.ts"
import { siteLimits } from "./site-limits.ts"

type SiteSource = Pick<RegisteredSource, "root" | "options">

/** Between two requests, where robots.txt names no time. */
const usualDelayMs = 200

export function readSite(source: SiteSource, context: ReadingContext): Reading {
  const { options, root } = source
  const { signal, memory, known } = context
  const crawl = new Crawl({
    fetching: context.fetching ?? {},
    maxPages: options.maxPages ?? siteLimits.usualPages,
    maxDepth: options.maxDepth ?? siteLimits.usualDepth,
    delayMs: context.delayMs ?? usualDelayMs,
    signal,
    isWanted: pathFilter(options),
    known: (address) => (known(address) === undefined ? undefined : memory.get(address)),
  })
  async function* documents(): AsyncGenerator<Source> {
    try {
      for await (const visit of crawl.visits(root)) {
        const document = documentOf(visit, source, context)
        if (document !== undefined) yield document
      }
    } catch (fault) {
      if (fault instanceof FetchFault) throw new SourceFault(`${root} cannot be read: ${fault.message}`)
      throw fault
    }
  }
  return { documents: documents(), end: () => endOf(crawl) }
}

function endOf({ cutBy, forbidden, hasFailures, problems }: Crawl): ReadingEnd {
  const notes = [
    ...problems.slice(0, 3),
    ...(cutBy === undefined ? [] : [`ended by ${cutBy}`]),
    ...(forbidden === 0 ? [] : [`robots.txt does not allow ${forbidden} ${forbidden === 1 ? "page" : "pages"}`]),
  ]
  return { isComplete: cutBy === undefined && !hasFailures, note: notes.length === 0 ? undefined : notes.join("; ") }
}

function documentOf(visit: Visit, { root }: SiteSource, context: ReadingContext): Source | undefined {
  const { memory, known, extractor } = context
  const { address } = visit
  const common = { name: address, place: address, root, url: address }
  const stored = known(address)
  switch (visit.kind) {
    case "page": {
      const { page, links } = visit
      const validators = page.validators ?? { etag: undefined, lastModified: undefined }
      return {
        ...common,
        mark: () => markOf(singleChunk(page.body)),
        text: () => pageText(page, extractor),
        stored: () => memory.set(address, { ...validators, links }),
      }
    }
    case "unchanged":
      return stored === undefined ? undefined : { ...common, mark: async () => stored, text: noText }
    case "gone":
      return stored === undefined ? undefined : failing(common, new SourceGone(`the server answers ${visit.status}`))
    case "failed":
      return failing(common, visit.fault)
  }
}

function failing(common: Pick<Source, "name" | "place" | "root" | "url">, fault: Error): Source {
  return { ...common, mark: () => Promise.reject(fault), text: noText }
}

async function* noText(): AsyncGenerator<string> {}

async function* singleChunk(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}
