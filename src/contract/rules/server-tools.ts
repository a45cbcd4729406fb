// Names of tools of MCP servers, for folders that know nothing else of them.
import { fitsGlob } from "../text/glob.ts"

/** Of every tool of a server: `mcp__SERVER__TOOL`. */
export const serverToolPrefix = "mcp__"

export function isServerTool(name: string): boolean {
  return name.startsWith(serverToolPrefix)
}

/** Whether an entry of a list of tools names this one: `mcp__shop__*` and `mcp__shop` name all tools of a server. */
export function namesTool(entry: string, tool: string): boolean {
  return entry === tool || (isServerTool(entry) && fitsServerTool(entry, tool))
}

/** As a glob; a pattern that is only a server's name fits all its tools. */
export function fitsServerTool(pattern: string, tool: string): boolean {
  if (!isServerTool(tool)) return false
  return fitsGlob(pattern, tool) || tool.startsWith(`${pattern}__`)
}
