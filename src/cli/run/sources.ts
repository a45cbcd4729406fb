// The documents that a turn had before it, listed under its answer: each once, with the words that can be found in it.
import type { Citation } from "../../contract/values.ts"
import { oneLine } from "../../contract/printable.ts"

const snippetWidth = 100
const most = 8

export class Sources {
  readonly #cited = new Map<string, Citation>()

  add(citations: readonly Citation[]): void {
    for (const citation of citations) {
      const isNew = !this.#cited.has(citation.id) && this.#cited.size < most
      if (isNew && citation.score > 0) this.#cited.set(citation.id, citation)
    }
  }

  /** The list so far, as text; the next turn begins its own. */
  take(): string {
    const lines = [...this.#cited.values()].map(lineOf)
    this.#cited.clear()
    return lines.length === 0 ? "" : `\nSources:\n${lines.join("")}`
  }
}

function lineOf({ title, url, snippet }: Citation): string {
  const place = url === undefined || url === title ? title : `${title} (${url})`
  return `  ${oneLine(place, 200)}: "${oneLine(snippet, snippetWidth)}"\n`
}
