// How the results of a document search are written for a model, and read back. Every line of a passage is marked, so that
// a document cannot fake the start of another one.
export interface QuotedPassage {
  readonly title: string
  readonly text: string
}

export function quotePassages(passages: readonly QuotedPassage[]): string {
  return passages
    .map(({ title, text }, index) => `[${index + 1}] ${title.replaceAll(/\s+/g, " ")}\n${text.replaceAll(/^/gm, "> ")}`)
    .join("\n\n")
}

export function readQuotedPassages(output: string): readonly QuotedPassage[] {
  const passages: { title: string; text: string[] }[] = []
  for (const line of output.split("\n")) {
    const head = /^\[\d{1,4}\] (.*)$/.exec(line)
    if (head !== null) passages.push({ title: head[1] ?? "", text: [] })
    else if (line.startsWith("> ")) passages.at(-1)?.text.push(line.slice(2))
  }
  return passages.map(({ title, text }) => ({ title, text: text.join("\n") }))
}
