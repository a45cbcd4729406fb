// The models of Anthropic as Vertex names them, for catalogues that list them only for Anthropic itself.
import type { CatalogueModel } from "./catalogue-line.ts"

const dated = /-(\d{8})$/

/** `listed`: what the catalogue has for Vertex. */
export function withClaudeOnVertex(
  listed: readonly CatalogueModel[],
  ofAnthropic: readonly CatalogueModel[],
): readonly CatalogueModel[] {
  if (listed.length === 0 || listed.some(({ id }) => id.startsWith("claude"))) return listed
  // A name without a date stands for one with it; Vertex has only the latter, with an @ before the date.
  const aliases = new Set(ofAnthropic.flatMap(({ id }) => (dated.test(id) ? [id.replace(dated, "")] : [])))
  const claude = ofAnthropic.filter(({ id }) => !aliases.has(id))
  return [...listed, ...claude.map((model) => ({ ...model, id: model.id.replace(dated, "@$1") }))]
}
