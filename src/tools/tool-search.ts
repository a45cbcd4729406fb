// Finds tools of extensions and MCP servers where there are too many to offer all of them to the model.
import { checks, toolInputSchemas } from "../contract/generated/tool-inputs.js"
import type { ToolSearchInput } from "../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "./define-tool.ts"
import type { Tool, ToolContext, ToolResult } from "./tool.ts"

const DEFAULT_LIMIT = 5

export const toolSearchTool: Tool = defineTool<ToolSearchInput>({
  name: "tool_search",
  description:
    "Finds further tools of this session by words, for example 'github create issue'. The tools it lists can be called from " +
    "the next step on. Use it when no offered tool fits the task.",
  class: "read",
  isReadOnly: true,
  inputSchema: toolInputSchemas.tool_search,
  check: checks.tool_search,
  prepare: async (input, context) => withoutPreparation(context, async () => search(input, context)),
})

function search({ query, limit = DEFAULT_LIMIT }: ToolSearchInput, { findTools }: ToolContext): ToolResult {
  if (findTools === undefined) return failed("There are no further tools.")
  const found = findTools(query, limit)
  if (found.length === 0) return { outcome: "done", output: `No tool fits '${query}'. Try other words.` }
  const lines = found.map(({ name, description }) => `- ${name}: ${description}`)
  return { outcome: "done", output: ["These tools can be called now:", ...lines].join("\n") }
}
