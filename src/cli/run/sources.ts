// Lists the documents of a turn under its answer, each once, with a quote.
import type { Citation } from "../../contract/values.ts"
import { oneLine } from "../../contract/text/text.ts"

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

  /** The list as text; the next turn starts a new one. */
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
