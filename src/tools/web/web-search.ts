// Defines web_search. What it does when it runs is in search-for-model.ts, which is loaded with the first call.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { WebSearchInput } from "../../contract/tool-inputs.ts"
import { defineTool, withoutPreparation } from "../define-tool.ts"
import type { Tool } from "../tool.ts"
import type { SearchConnection } from "./search-for-model.ts"

export function webSearchTool(connect: () => Promise<SearchConnection>): Tool {
  return defineTool<WebSearchInput>({
    name: "web_search",
    description:
      "Searches the web and returns titles, addresses and excerpts of pages. Use web_fetch to read one of them.",
    class: "read",
    isReadOnly: true,
    check: checks.web_search,
    inputSchema: toolInputSchemas.web_search,
    prepare: async (input, context) =>
      withoutPreparation(context, async () => {
        const { searchForModel } = await import("./search-for-model.ts")
        return searchForModel(input, context, await connect())
      }),
  })
}
