// Answers searches from PostgreSQL, each in one snapshot of the documents.
import { messageOf } from "../../contract/faults.ts"
import type { Database, Queries } from "../../postgres/database.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import { numberIn } from "../../postgres/row.ts"
import type { RightsClass } from "../index/classes.ts"
import { IndexFault } from "../index/schema.ts"
import { explain } from "../search/explain.ts"
import { ExplainingReader } from "../search/explaining-reader.ts"
import type { SearchAnswer, SearchRequest } from "../search/search-client.ts"
import { search } from "../search/search.ts"
import type { Near } from "../search/search-reader.ts"
import { quantised } from "../search/vectors.ts"
import { ClassCache } from "./class-cache.ts"
import { readRanks, type Ranks } from "./occurrences.ts"
import { PagedReader, type Loaded } from "./paged-reader.ts"
import { allowedClasses } from "./rights-classes.ts"
import { openDocuments } from "./tables.ts"
import { nearestPassages, openVectors, UsualLimits } from "./vectors.ts"

interface Opened {
  readonly database: Database
  readonly ranks: Ranks
}

export class SharedSearch {
  readonly #url: string
  readonly #embedder: string | undefined
  readonly #cache = new ClassCache()
  readonly #limits = new UsualLimits()
  #opened: Promise<Opened> | undefined

  /** `embedder`: the model of the vectors of questions. */
  constructor(url: string, embedder: string | undefined) {
    this.#url = url
    this.#embedder = embedder
  }

  async answer(request: SearchRequest): Promise<SearchAnswer> {
    const { id, question, vector, isExplained } = request
    try {
      const { database, ranks } = await this.#open()
      return await database.transaction(async (queries) => {
        await queries.query("set transaction isolation level repeatable read, read only")
        await queries.query("set local enable_seqscan = off") // lists of words of other classes are not read
        const reader = new PagedReader(queries, await this.#load(queries, request, ranks))
        const answer = await reader.complete(() =>
          isExplained
            ? { passages: [], explanation: explain(new ExplainingReader(reader), question, vector) }
            : { passages: search(reader, question, vector) },
        )
        return { id, ...answer }
      })
    } catch (fault) {
      return { id, fault: messageOf(fault), isOfIndex: fault instanceof DatabaseFault || fault instanceof IndexFault }
    }
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.database.close()
  }

  /** A failure is not kept: the next search connects again. */
  #open(): Promise<Opened> {
    this.#opened ??= open(this.#url, this.#embedder).catch((fault: unknown) => {
      this.#opened = undefined
      throw fault
    })
    return this.#opened
  }

  async #load(queries: Queries, { question: { rights, sets }, vector }: SearchRequest, ranks: Ranks): Promise<Loaded> {
    const classes = await allowedClasses(queries, rights)
    const documents = await this.#cache.load(queries, classes)
    const ids = classes.map(({ id }) => id)
    const inSets = sets.length === 0 ? undefined : await passagesInSets(queries, ids, sets)
    const near = await this.#near(queries, classes, vector, inSets)
    return { classes, documents, inSets: inSets ?? new Set(), near, ranks }
  }

  async #near(
    queries: Queries,
    classes: readonly RightsClass[],
    vector: Float32Array | undefined,
    allowed: ReadonlySet<number> | undefined,
  ): Promise<ReadonlyMap<number, readonly Near[]>> {
    const near = new Map<number, readonly Near[]>()
    if (vector === undefined || this.#embedder === undefined) return near
    const query = quantised(vector)
    for (const one of classes) {
      const limit = await this.#limits.of(queries, one, this.#embedder, query.length)
      const ofOne = [one.id, this.#embedder, query.length] as const
      near.set(one.id, await nearestPassages(queries, ofOne, query, { allowed, limit }))
    }
    return near
  }
}

async function open(url: string, embedder: string | undefined): Promise<Opened> {
  const database = await openDocuments(url)
  try {
    if (embedder !== undefined) await openVectors(database)
    return { database, ranks: await readRanks(database) }
  } catch (fault) {
    await database.close()
    throw fault
  }
}

async function passagesInSets(
  queries: Queries,
  classes: readonly number[],
  sets: readonly string[],
): Promise<ReadonlySet<number>> {
  const rows = await queries.query(
    `select first_passage, passages from turnhouse.documents where class = any($1::integer[]) and sets && $2::text[]`,
    [classes, sets],
  )
  const passages = rows.flatMap((row) => {
    const first = numberIn(row, "first_passage")
    return Array.from({ length: numberIn(row, "passages") }, (_, at) => first + at)
  })
  return new Set(passages)
}
