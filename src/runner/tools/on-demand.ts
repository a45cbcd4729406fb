// Tools on demand. Every tool that is offered costs tokens of every request, so where extensions and MCP servers have many
// tools, the model searches for those that it needs; from then on they are offered to it.
import { contextItems } from "../../projection/context.ts"
import { toolSearchTool } from "../../tools/tool-search.ts"
import { searchTools } from "../../tools/search-tools.ts"
import type { FoundTool, Tool } from "../../tools/tool.ts"
import type { SessionContext } from "../session-context.ts"
import { toolsOfTurn } from "./tool-set.ts"

/** Tools of extensions and MCP servers that are offered without a search. */
export const MAX_OFFERED = 40

/** The search is there only where it is needed. */
export function withSearch(tools: readonly Tool[], external: readonly Tool[]): readonly Tool[] {
  return external.length > MAX_OFFERED ? [...tools, toolSearchTool, ...external] : [...tools, ...external]
}

/** Of the tools of the turn, those that the next request has. */
export function offeredTools(session: SessionContext, tools: readonly Tool[]): readonly Tool[] {
  const { turn, toolMode } = session.state
  const external = tools.filter(({ isExternal }) => isExternal === true)
  if ((turn?.toolMode ?? toolMode) !== "Smart" || external.length <= MAX_OFFERED)
    return tools.filter((tool) => tool !== toolSearchTool)
  const known = new Set([...session.foundTools, ...calledTools(session)])
  return tools.filter(({ name, isExternal }) => isExternal !== true || known.has(name))
}

/** What a search finds is offered from the next request on. */
export function findTools(session: SessionContext, query: string, limit: number): readonly FoundTool[] {
  const external = toolsOfTurn(session.state, session.tools).filter(({ isExternal }) => isExternal === true)
  const found = searchTools(external, query, limit)
  for (const { name } of found) session.foundTools.add(name)
  return found
}

/** A conversation that has used a tool keeps it, also after a restart of the host. */
function calledTools({ context }: SessionContext): readonly string[] {
  return contextItems(context).flatMap((item) =>
    item.kind === "assistant" ? item.parts.flatMap((part) => (part.kind === "call" ? [part.tool] : [])) : [],
  )
}
