// Words as PostgreSQL stores and looks them up. They are cut and stemmed by src/knowledge/text, as in the local index, so
// that no language setting of the server matters.
import type { PassageTerms } from "../text/analysis.ts"

/** Positions of a word that PostgreSQL keeps; the last ones say where else the word is. */
const MAX_OCCURRENCES = 250
const MAX_POSITION = 16_000
const headingPosition = 16_381
const titlePosition = 16_382
const namePosition = 16_383

/** Quoted for `tsvector` and `tsquery`. */
export function lexemeOf(classId: number, term: string): string {
  return `'${classId}/${term.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
}

/** Weights: A in the name, B in the title, C in a heading, D in the text. */
export function vectorOf(classId: number, { body, heading, title, name }: PassageTerms): string {
  const positions = new Map<string, string[]>()
  const note = (term: string, position: string) => {
    const before = positions.get(term)
    if (before === undefined) positions.set(term, [position])
    else before.push(position)
  }
  for (const [at, term] of body.entries())
    if ((positions.get(term)?.length ?? 0) < MAX_OCCURRENCES) note(term, String(Math.min(at + 1, MAX_POSITION)))
  for (const term of new Set(heading)) note(term, `${headingPosition}C`)
  for (const term of new Set(title)) note(term, `${titlePosition}B`)
  for (const term of new Set(name)) note(term, `${namePosition}A`)
  return [...positions].map(([term, some]) => `${lexemeOf(classId, term)}:${some.join(",")}`).join(" ")
}

/** PostgreSQL stores no character 0. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}")
}
