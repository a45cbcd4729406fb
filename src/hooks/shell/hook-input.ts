// What a shell hook reads on stdin: the JSON of Claude Code's hooks, with its names of tools and fields.
import { resolve } from "node:path"
import type { HookName } from "../../contract/rules/hook-settings.ts"
import { isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"

/** Hooks look for these names; tools that are not listed keep their own. */
const foreignNames: Readonly<Record<string, string>> = {
  bash: "Bash",
  read: "Read",
  write: "Write",
  edit: "Edit",
  grep: "Grep",
  find: "Glob",
  ls: "LS",
  subagent: "Task",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
  todo: "TodoWrite",
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
    tool_name: foreignNames[tool ?? ""] ?? tool,
    tool_input: foreignFields(tool, input, cwd),
  }
}

/** File tools of Claude Code have the absolute path in `file_path`. */
function foreignFields(tool: string | null, input: JsonValue, cwd: string): JsonValue {
  if (!isFileTool(tool) || !isJsonObject(input)) return input
  const { path, ...others } = input
  return typeof path === "string" ? { ...others, file_path: resolve(cwd, path) } : input
}

/** An input that a hook changed, with the fields of our tool. */
export function ownFields(tool: string | null, input: JsonValue): JsonValue {
  if (!isFileTool(tool) || !isJsonObject(input)) return input
  const { file_path: path, ...others } = input
  return path === undefined ? input : { ...others, path }
}

function isFileTool(tool: string | null): boolean {
  return tool === "read" || tool === "write" || tool === "edit"
}
