// What a shell hook reads on stdin: the JSON of Claude Code's hooks, with its names of tools and fields.
import { resolve } from "node:path"
import type { HookName } from "../../contract/rules/hook-settings.ts"
import { isJsonObject, textIn } from "../../contract/json-object.ts"
import { aliasesOf } from "../../contract/rules/core-tools.ts"
import { patchPaths } from "../../contract/rules/patch-paths.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"

/** Hooks look for these names; tools without one keep their own. */
export function foreignName(tool: string): string {
  return tool === "subagent" ? "Task" : (aliasesOf(tool).find((alias) => /^[A-Z]/.test(alias)) ?? tool)
}

/** Files of a patch for which hooks run. */
export const MAX_PATCHED_FILES = 50

/** A patch is an edit of each of its files: hooks that look after files know only those. */
export function eventsOf(event: HookEvent): readonly HookEvent[] {
  if (event.tool_name !== "apply_patch") return [event]
  const patch = textIn(event.tool_input, "input") ?? ""
  const paths = [...new Set(patchPaths(patch))]
  return paths.map((path) => ({ ...event, tool_name: "edit", tool_input: { path, patch } }))
}

export function hookInput(name: HookName, event: HookEvent, cwd: string): JsonValue {
  const common = { session_id: event.session_id, cwd, hook_event_name: name }
  switch (name) {
    case "PreToolUse":
      return { ...common, ...toolFields(event, cwd) }
    case "PostToolUse":
      return { ...common, ...toolFields(event, cwd), tool_response: { output: event.tool_output } }
    case "UserPromptSubmit":
      return { ...common, prompt: event.message }
    case "Stop":
      return { ...common, stop_hook_active: false }
    case "SessionStart":
      return { ...common, source: "startup" }
    case "SessionEnd":
      return { ...common, reason: "other" }
  }
}

function toolFields({ tool_name: tool, tool_input: input }: HookEvent, cwd: string) {
  return {
    tool_name: tool === null ? tool : foreignName(tool),
    tool_input: foreignFields(tool, input, cwd),
  }
}

/** File tools of Claude Code have the absolute path in `file_path`. */
function foreignFields(tool: string | null, input: JsonValue, cwd: string): JsonValue {
  if (!isFileTool(tool) || !isJsonObject(input)) return input
  const { path, ...others } = input
  return typeof path === "string" ? { ...others, file_path: resolve(cwd, path) } : input
}

function isFileTool(tool: string | null): boolean {
  return tool === "read" || tool === "write" || tool === "edit"
}
