// Where passages have a word. PostgreSQL has no function for how often a word occurs, but `ts_rank` with weights for the text
// alone grows with each occurrence: the server is asked once which rank belongs to which number.
import type { Queries } from "../../postgres/database.ts"
import { numberIn } from "../../postgres/row.ts"
import { encodePostings } from "../index/postings.ts"

/** Ranks of 1, 2 … occurrences. */
export type Ranks = readonly number[]

const ranks = `select ts_rank('{1,0,0,0}',
    ('x:' || array_to_string(array(select generate_series(1, occurrences)), ','))::tsvector, 'x'::tsquery) as rank
  from generate_series(1, 250) as occurrences order by occurrences`

export async function readRanks(queries: Queries): Promise<Ranks> {
  const found = (await queries.query(ranks)).map((row) => numberIn(row, "rank"))
  if (found.some((rank, at) => rank <= (found[at - 1] ?? 0)))
    throw new Error("PostgreSQL: ts_rank does not tell how often a word occurs")
  return found
}

/** `$1`: lexemes, `$2`: their classes. The queries are parsed once for each word. */
const words = `(
    select lexeme, class, lexeme::tsquery as query, (lexeme || ':C')::tsquery as in_heading,
      (lexeme || ':B')::tsquery as in_title, (lexeme || ':A')::tsquery as in_name
    from unnest($1::text[], $2::integer[]) as given (lexeme, class) offset 0
  ) as word
  join turnhouse.passages as one on one.words @@ word.query and one.class = word.class`

export const countsOfWords = `select word.lexeme, count(*) as found from ${words} group by word.lexeme`

/** Of each passage its number, where it has the word as in src/knowledge/index/postings.ts, and its terms. `$3`: ranks. */
export const postingsOfWords = `
  select word.lexeme, string_agg(concat_ws(' ', one.id,
      width_bucket(ts_rank('{1,0,0,0}', one.words, word.query), $3::real[]) * 8
        + (one.words @@ word.in_heading)::integer
        + (one.words @@ word.in_title)::integer * 2
        + (one.words @@ word.in_name)::integer * 4,
      one.terms), ' ' order by one.id) as found
  from ${words} group by word.lexeme`

/** Of `found` of a word. */
export function postingsIn(found: string): Uint8Array {
  return encodePostings(numbersIn(found), 0)
}

const [zero, space] = [48, 32]

/** There may be a hundred thousand of them. */
function numbersIn(text: string): readonly number[] {
  const numbers: number[] = []
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== space) {
      number = number * 10 + code - zero
      continue
    }
    numbers.push(number)
    number = 0
  }
  numbers.push(number)
  return numbers
}
