// One search: by words and, if there are vectors, by meaning, merged by rank. Access rights are resolved first; later
// stages see only permitted classes.
import type { Passage } from "../../contract/values.ts"
import type { Rights } from "../rights.ts"
import { snippetOf, standsIn } from "../text/snippet.ts"
import { termsOf } from "../text/terms.ts"
import type { IndexReader, PassageRow } from "./index-reader.ts"
import { byWords, type Ranked } from "./keyword.ts"
import { byMeaning } from "./nearest.ts"

export interface Question {
  readonly text: string
  readonly limit: number
  readonly rights: Rights
  /** Only documents of these sets; none: all. */
  readonly sets: readonly string[]
}

/** Weight of rank r: score / (damping + r). */
const damping = 20

export function search(reader: IndexReader, question: Question, vector: Float32Array | undefined): readonly Passage[] {
  return reader.atOnce(() => {
    const { text, limit, rights, sets } = question
    const scope = { classes: reader.allowed(rights), sets }
    if (scope.classes.length === 0) return []
    const orders = [byWords(reader, scope, text), ...(vector === undefined ? [] : [byMeaning(reader, scope, vector)])]
    const asked = new Set(termsOf(text))
    return merged(orders)
      .slice(0, limit)
      .map(({ passage, worth }) => passageOf(passage, worth, asked))
  })
}

/** Weighted reciprocal rank fusion. Scores are between 0 and 1; 1 is the first rank in every list with a full match. */
function merged(orders: readonly (readonly Ranked[])[]): readonly Ranked[] {
  const worths = new Map<number, Ranked>()
  const best = orders.length / (damping + 1)
  for (const order of orders) {
    for (const [place, { passage, worth }] of order.toSorted(better).entries()) {
      const before = worths.get(passage.id)?.worth ?? 0
      worths.set(passage.id, { passage, worth: before + worth / (damping + place + 1) / best })
    }
  }
  return [...worths.values()].toSorted(better)
}

/** Ties are ordered by document, so that results are stable. */
function better(one: Ranked, other: Ranked): number {
  if (one.worth !== other.worth) return other.worth - one.worth
  if (one.passage.name !== other.passage.name) return one.passage.name < other.passage.name ? -1 : 1
  return one.passage.ordinal - other.passage.ordinal
}

function passageOf({ name, url, text }: PassageRow, worth: number, asked: ReadonlySet<string>): Passage {
  const snippet = snippetOf(text, asked)
  if (!standsIn(text, snippet)) throw new Error(`the snippet of ${name} does not occur in it`)
  const score = Number(worth.toFixed(4))
  return { id: name, title: name, ...(url === undefined ? {} : { url }), snippet, score, text }
}
