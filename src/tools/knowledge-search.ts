// Searches the indexed documents. Results are untrusted text and carry their source for citations. Access rights come
// from the session, not from the model.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { KnowledgeSearchInput } from "../contract/tool-inputs.ts"
import { quotePassages } from "../contract/text/quoted-passages.ts"
import type { Citation, Passage } from "../contract/values.ts"
import type { Question } from "../knowledge/search/search.ts"
import { occursIn } from "../knowledge/text/snippet.ts"
import { defineTool, failed, withoutPreparation } from "./define-tool.ts"
import type { TextScrubber, Tool, ToolContext, ToolResult } from "./tool.ts"

/** The search in the documents of a host. */
export interface KnowledgeSource {
  /** Whether an index exists. */
  readonly exists: boolean
  search(question: Question, signal?: AbortSignal): Promise<readonly Passage[]>
}

export const knowledgeTool = "knowledge_search"

const DEFAULT_LIMIT = 5

export function knowledgeSearchTool(source: KnowledgeSource): Tool {
  return defineTool<KnowledgeSearchInput>({
    name: knowledgeTool,
    description:
      "Searches the indexed documents and returns the best matching passages with their sources. Use it before you answer a question about facts that such documents may contain.",
    class: "read",
    isReadOnly: true,
    check: checks.knowledge_search,
    inputSchema: toolInputSchemas.knowledge_search,
    prepare: async (input, context) => withoutPreparation(context, () => search(input, context, source)),
  })
}

/** Passages with a score and a literal snippet. One with a secret is left out: a redacted quotation is not literal. */
export function quotable(passages: readonly Passage[], scrubber: Pick<TextScrubber, "text"> | undefined): Passage[] {
  return passages.filter(
    ({ score, snippet, text }) => score > 0 && occursIn(text, snippet) && (scrubber?.text(text) ?? text) === text,
  )
}

/** The sources of passages, for the fence around them. */
export function sourceNames(passages: readonly Pick<Passage, "title">[]): string {
  return `documents: ${[...new Set(passages.map(({ title }) => title))].join(", ")}`
}

async function search(
  { query, limit = DEFAULT_LIMIT }: KnowledgeSearchInput,
  { rights, scrubber, signal }: ToolContext,
  source: KnowledgeSource,
): Promise<ToolResult> {
  if (rights === undefined) return failed("This session has no documents.")
  const found = quotable(await source.search({ text: query, limit, rights, sets: [], mustFit: true }, signal), scrubber)
  if (found.length === 0) return { outcome: "done", output: "Nothing was found." }
  return {
    outcome: "done",
    output: quotePassages(found),
    citations: found.map(citationOf),
    untrustedSource: sourceNames(found),
  }
}

function citationOf({ id, title, url, snippet, score }: Passage): Citation {
  return { id, title, ...(url === undefined ? {} : { url }), snippet, score }
}
