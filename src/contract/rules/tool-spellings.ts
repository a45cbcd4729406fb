// How other agents spell our tools and their fields. Models are trained on those names, so a call is brought to ours
// before it is stored: gates, locks, extensions and clients see one spelling.
import { isJsonObject, tryParseJson, type JsonObject } from "../json-object.ts"
import type { JsonValue } from "../values.ts"
import { canonicalToolName } from "./core-tools.ts"
import { ownValues } from "./tool-values.ts"

type Fields = Readonly<Record<string, string>>

const pathFields: Fields = {
  file_path: "path",
  filePath: "path",
  filepath: "path",
  notebook_path: "path",
  absolute_path: "path",
  target_file: "path",
}

const folderFields: Fields = { dir_path: "path", directory: "path", folder: "path", ...pathFields }

/** Of one replacement, and of each in a list of them. */
const replacementFields: Fields = {
  old_str: "old_string",
  oldStr: "old_string",
  old_text: "old_string",
  oldText: "old_string",
  oldString: "old_string",
  new_str: "new_string",
  newStr: "new_string",
  new_text: "new_string",
  newText: "new_string",
  newString: "new_string",
  replaceAll: "replace_all",
}

const grepFields: Fields = {
  glob: "include",
  regex: "pattern",
  query: "pattern",
  "-A": "after",
  "-B": "before",
  "-C": "context",
  "-i": "ignore_case",
  ignoreCase: "ignore_case",
  case_insensitive: "ignore_case",
  output_mode: "output",
  head_limit: "limit",
}
const shellFields: Fields = { shell_id: "id", bash_id: "id" }

const searchFields: Fields = {
  q: "query",
  search_query: "query",
  limit: "count",
  max_results: "count",
  num_results: "count",
  numResults: "count",
  include_domains: "allowed_domains",
  exclude_domains: "blocked_domains",
}

/** By tool: another spelling of a field, and ours. */
const fieldSpellings: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ["bash", { cmd: "command" }],
  ["bash_output", shellFields],
  ["bash_kill", shellFields],
  ["read", { ...pathFields, start_line: "offset" }],
  ["write", { ...pathFields, file_text: "content", text: "content", contents: "content" }],
  ["edit", { ...pathFields, ...replacementFields }],
  ["grep", { ...folderFields, ...grepFields }],
  ["find", { ...folderFields, glob: "pattern", head_limit: "limit" }],
  ["ls", folderFields],
  ["skill", { skill: "name", command: "name" }],
  ["subagent", { prompt: "task", subagent_type: "agent" }],
  ["apply_patch", { patch: "input", diff: "input" }],
  ["web_fetch", { uri: "url", address: "url", start_index: "offset", max_length: "limit" }],
  ["web_search", searchFields],
])

/** Fields of other agents that ours do not need: line numbers are always shown, pages are always given as text. */
const needlessFields: ReadonlyMap<string, readonly string[]> = new Map([
  ["grep", ["-n"]],
  ["web_fetch", ["prompt", "format"]],
])

/** Names that only models use; unlike aliases they stay free for tools of the configuration and of extensions. */
const toolSpellings: ReadonlyMap<string, string> = new Map([
  ["shell", "bash"],
  ["run_shell_command", "bash"],
  ["view", "read"],
  ["view_file", "read"],
  ["create_file", "write"],
  ["str_replace", "edit"],
  ["replace", "edit"],
  ["glob", "find"],
  ["grep_search", "grep"],
  ["search_file_content", "grep"],
  ["list_dir", "ls"],
  ["fetch", "web_fetch"],
  ["fetch_url", "web_fetch"],
  ["search_web", "web_search"],
  ["google_web_search", "web_search"],
  ["Task", "subagent"],
  ["task", "subagent"],
  ["Agent", "subagent"],
])

/** The name of the tool that a model means: one that exists, under our name. */
export function calledToolName(name: string, exists: (name: string) => boolean): string {
  if (exists(name)) return name
  const meant = toolSpellings.get(name) ?? canonicalToolName(name)
  return exists(meant) ? meant : name
}

/** The input with our names of fields and our values. A field that is there in both spellings is refused as unknown. */
export function ownFields(tool: string, input: JsonValue): JsonValue {
  const fields = fieldSpellings.get(tool)
  if (fields === undefined || !isJsonObject(input)) return input
  const own = ownValues(tool, renamed(withoutNeedless(input, needlessFields.get(tool) ?? []), fields))
  return tool === "edit" && own["edits"] !== undefined ? { ...own, edits: ownEdits(own["edits"]) } : own
}

/** A list or an object in such a field is a mistake, which the tool names. */
function withoutNeedless(input: JsonObject, names: readonly string[]): JsonObject {
  const kept = Object.entries(input).filter(([name, value]) => !names.includes(name) || typeof value === "object")
  return Object.fromEntries(kept)
}

/** Some models send a list as JSON in a string. */
function ownEdits(edits: JsonValue): JsonValue {
  const list = typeof edits === "string" ? (tryParseJson(edits) ?? edits) : edits
  if (!Array.isArray(list)) return edits
  return list.map((edit: JsonValue) =>
    isJsonObject(edit) ? ownValues("edit", renamed(edit, replacementFields)) : edit,
  )
}

function renamed(input: JsonObject, fields: Fields): JsonObject {
  const entries = Object.entries(input).map(([name, value]) => {
    const own = Object.hasOwn(fields, name) ? fields[name] : undefined
    return [own === undefined || Object.hasOwn(input, own) ? name : own, value] as const
  })
  const isAmbiguous = new Set(entries.map(([name]) => name)).size < entries.length
  return isAmbiguous ? input : Object.fromEntries(entries)
}

/** Every known spelling of a tool's fields, with the field that it means. */
export function spellingsOf(tool: string, fields: readonly string[]): ReadonlyMap<string, string> {
  const others = Object.entries(fieldSpellings.get(tool) ?? {})
  return new Map([...fields.map((field) => [field, field] as const), ...others])
}
