// How often a passage has a word. PostgreSQL has no function for that, but `ts_rank` with weights for the text alone grows
// with each occurrence: the server is asked once which rank belongs to which number.
import type { Queries } from "../../postgres/database.ts"
import { numberIn } from "../../postgres/row.ts"
import type { Posting } from "../index/postings.ts"

const ranks = `select occurrences, ts_rank('{1,0,0,0}',
    ('''x'':' || array_to_string(array(select generate_series(1, occurrences)), ','))::tsvector, '''x'''::tsquery) as rank
  from generate_series(1, 250) as occurrences`

export type Occurrences = ReadonlyMap<number, number>

export async function readOccurrences(queries: Queries): Promise<Occurrences> {
  const rows = await queries.query(ranks)
  const found = new Map(rows.map((row) => [numberIn(row, "rank"), numberIn(row, "occurrences")]))
  if (found.size !== rows.length) throw new Error("PostgreSQL: ts_rank does not tell how often a word occurs")
  return found.set(0, 0)
}

/** Of the passages with each word, in rising order: number, rank, terms and places. `$1`: lexemes, `$2`: their classes. */
export const postingsOfWords = `
  select word.lexeme, string_agg(
    concat_ws(' ', one.id, ts_rank('{1,0,0,0}', one.words, word.lexeme::tsquery), one.terms,
      (one.words @@ (word.lexeme || ':C')::tsquery)::integer,
      (one.words @@ (word.lexeme || ':B')::tsquery)::integer,
      (one.words @@ (word.lexeme || ':A')::tsquery)::integer), ',' order by one.id) as found
  from unnest($1::text[], $2::integer[]) as word (lexeme, class)
  join turnhouse.passages as one on one.words @@ word.lexeme::tsquery and one.class = word.class
  group by word.lexeme`

export const countsOfWords = `
  select word.lexeme, count(*) as found
  from unnest($1::text[], $2::integer[]) as word (lexeme, class)
  join turnhouse.passages as one on one.words @@ word.lexeme::tsquery and one.class = word.class
  group by word.lexeme`

export function postingsIn(text: string, occurrences: Occurrences): readonly Posting[] {
  return text.split(",").map((one) => {
    const [passage = 0, rank = 0, length = 0, inHeading, inTitle, inName] = one.split(" ").map(Number)
    const count = occurrences.get(rank)
    if (count === undefined) throw new Error(`PostgreSQL: no number of occurrences has the rank ${rank}`)
    return { passage, count, length, isInHeading: inHeading === 1, isInTitle: inTitle === 1, isInName: inName === 1 }
  })
}
