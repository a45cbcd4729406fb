// The built-in tools, and the paths that their calls access.
import { join, resolve, sep } from "node:path"
import { canonicalToolName, coreTool } from "../contract/rules/core-tools.ts"
import { patchPaths } from "../contract/rules/patch-paths.ts"
import { isJsonObject, textIn } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import { applyPatchTool } from "./edit/apply-patch.ts"
import { askTool } from "./asking/ask.ts"
import { bashTool } from "./bash.ts"
import { editTool } from "./edit/edit.ts"
import type { FileToolDeps } from "./files/file-memory.ts"
import { findTool } from "./search/find.ts"
import { grepTool, type SearchDeps } from "./search/grep.ts"
import { lsTool } from "./search/ls.ts"
import { realPathOf } from "./files/paths.ts"
import { readTool } from "./read/read.ts"
import { subagentTools } from "../features/agent-tree/tools/subagents.ts"
import { skillTool } from "./skill.ts"
import { todoTool } from "../features/tasks/tools.ts"
import { shellTools } from "../features/shells/tools.ts"
import type { Tool } from "./tool.ts"
import { writeTool } from "./edit/write.ts"

export interface BuiltInToolDeps extends SearchDeps {
  /** Guards of tools that write, where these may access less than tools that read. */
  readonly forWriting?: Pick<FileToolDeps, "guardPath" | "guardFolders">
}

export function builtInTools(deps: BuiltInToolDeps): Tool[] {
  const writing = { ...deps, ...deps.forWriting }
  const core = [bashTool(deps), readTool(deps), writeTool(writing), editTool(writing)]
  const search = [grepTool(deps), findTool(deps), lsTool(deps)]
  return [
    ...core,
    ...search,
    ...shellTools(deps),
    applyPatchTool(writing),
    todoTool(),
    askTool,
    skillTool,
    ...subagentTools(deps),
  ]
}

/** The real paths that a call of a file tool accesses; none for other tools and invalid inputs. */
export function pathsOf(tool: string, input: JsonValue, cwd: string): string[] {
  return writtenPaths(tool, input).map((path) => realPathOf(path, cwd))
}

/** The same paths without following links below the working folder. */
export function namedPathsOf(tool: string, input: JsonValue, cwd: string): string[] {
  const realCwd = realPathOf(cwd, "/")
  return writtenPaths(tool, input).map((path) => {
    const absolute = resolve(cwd, path)
    const isInside = absolute === cwd || absolute.startsWith(cwd + sep)
    return isInside ? join(realCwd, absolute.slice(cwd.length)) : absolute
  })
}

function writtenPaths(tool: string, input: JsonValue): readonly string[] {
  if (canonicalToolName(tool) === "apply_patch") return patchPaths(textIn(input, "input") ?? "")
  const path = pathIn(canonicalToolName(tool), input)
  return path === undefined ? [] : [path]
}

function pathIn(tool: string, input: JsonValue): string | undefined {
  const core = coreTool(tool)
  if (core?.argument !== "path" || !isJsonObject(input)) return undefined
  const path = input["path"] ?? core.defaultPath
  return typeof path === "string" ? path : undefined
}
