// Built-in tools, one line each: the argument that identifies a call, what a session does while the tool runs, and the
// names under which other programs know the tool. The core tools are those of the tool mode Core.
import { memberIn, textIn } from "../json-object.ts"
import type { JsonValue, ToolMode } from "../values.ts"
import { destinationIn, destinationText, networkTool, ruleFor, type Destination } from "./network-rules.ts"
import { patchPaths } from "./patch-paths.ts"
import { hostOf } from "./web-address.ts"

interface CoreTool {
  /** The field shown for a call, and matched against permissions given in advance. */
  readonly argument: "command" | "path"
  /** Where the path may be omitted. */
  readonly defaultPath?: string
  readonly activity: string
  /** Offered in sessions that may only read. */
  readonly readOnly?: true
  readonly aliases: readonly string[]
}

const table = {
  bash: { argument: "command", activity: "running", aliases: ["execute_command", "Bash"] },
  read: { argument: "path", activity: "reading", readOnly: true, aliases: ["read_file", "Read"] },
  write: { argument: "path", activity: "writing", aliases: ["write_file", "Write"] },
  edit: { argument: "path", activity: "changing", aliases: ["edit_file", "Edit", "MultiEdit"] },
  grep: {
    argument: "path",
    defaultPath: ".",
    activity: "searching for",
    readOnly: true,
    aliases: ["search_code", "Grep"],
  },
  find: { argument: "path", defaultPath: ".", activity: "looking for", readOnly: true, aliases: ["Glob"] },
  ls: { argument: "path", defaultPath: ".", activity: "listing", readOnly: true, aliases: ["list_directory", "LS"] },
} as const satisfies Record<string, CoreTool>

interface OtherTool {
  readonly aliases: readonly string[]
  /** What is shown for a call. */
  readonly summary: (input: JsonValue) => string | undefined
  /** It only continues what this tool has begun, and is available where that one is. */
  readonly leader?: string
  readonly activity?: string
  /** What permissions given in advance are matched against. Default: the whole input. */
  readonly permission?: (input: JsonValue) => string | undefined
  /** It sends what the model writes out of the machine: to a host of the model's choice, or to a configured service. */
  readonly sendsTo?: "any host" | "a service"
}

const shellSummary = (input: JsonValue) => textIn(input, "id")

const otherTools: ReadonlyMap<string, OtherTool> = new Map<string, OtherTool>([
  ["apply_patch", { aliases: ["ApplyPatch"], summary: (input) => patchPaths(textIn(input, "input") ?? "").join(", ") }],
  ["bash_output", { aliases: ["BashOutput"], summary: shellSummary, leader: "bash" }],
  ["bash_kill", { aliases: ["KillShell", "KillBash"], summary: shellSummary, leader: "bash" }],
  ["todo", { aliases: ["TodoWrite", "todo_write", "todowrite"], summary: (input) => count(input, "todos", "task") }],
  ["skill", { aliases: ["Skill"], summary: (input) => textIn(input, "name") }],
  ["tool_search", { aliases: ["ToolSearch"], summary: (input) => textIn(input, "query") }],
  [
    "mcp_resources",
    { aliases: ["ListMcpResourcesTool"], summary: (input) => textIn(input, "server") ?? "all servers" },
  ],
  [
    "mcp_read",
    {
      aliases: ["ReadMcpResourceTool"],
      summary: (input) => textIn(input, "uri"),
      permission: (input) => `${textIn(input, "server") ?? ""} ${textIn(input, "uri") ?? ""}`,
    },
  ],
  ["ask", { aliases: ["AskUserQuestion", "ask_user", "ask_user_question"], summary: firstQuestion }],
  [
    "web_fetch",
    {
      aliases: ["WebFetch", "webfetch"],
      summary: (input) => textIn(input, "url"),
      activity: "fetching",
      permission: (input) => hostOf(textIn(input, "url") ?? ""),
      sendsTo: "any host",
    },
  ],
  [
    "web_search",
    {
      aliases: ["WebSearch", "websearch"],
      summary: (input) => textIn(input, "query"),
      activity: "searching the web for",
      permission: () => "any query", // "always" must not mean only the same words again
      sendsTo: "a service",
    },
  ],
])

const tools: ReadonlyMap<string, CoreTool> = new Map(Object.entries(table))
const names = new Map(
  [...tools, ...otherTools].flatMap(([name, { aliases }]) => aliases.map((alias) => [alias, name] as const)),
)

export const coreToolNames: readonly string[] = [...tools.keys()]
/** Without those for agents and documents. */
export const builtInToolNames: readonly string[] = [...tools.keys(), ...otherTools.keys()]
export const readOnlyToolNames: readonly string[] = coreToolNames.filter((name) => tools.get(name)?.readOnly)

/** Models that are trained on apply_patch: OpenAI's from GPT-5 on, and Codex. */
const patchModels = /(?:^|[/.-])(?:gpt-(?:[5-9]|\d\d)|codex)/

/** Offered to models that are trained on it, to others only by name. */
export function isOfferedTo(tool: string, model: string): boolean {
  return tool !== "apply_patch" || patchModels.test(model.toLowerCase())
}

export function coreTool(name: string): CoreTool | undefined {
  return tools.get(name)
}

/** The names under which other programs know a tool. */
export function aliasesOf(name: string): readonly string[] {
  return (tools.get(name) ?? otherTools.get(name))?.aliases ?? []
}

/** The tools that a list leaves of those that a tool mode has; all of them without a list. */
export function narrowed(mode: ToolMode, list: readonly string[] | undefined): ToolMode {
  if (list === undefined || mode === "None") return mode
  const wanted = list.map(canonicalToolName)
  if (mode === "Full" || mode === "Smart") return { Explicit: wanted }
  const present = new Set(mode === "Core" ? coreToolNames : mode.Explicit.map(canonicalToolName))
  return { Explicit: wanted.filter((tool) => present.has(tool)) }
}

/** The tool by which it is decided whether a session has this one. */
export function leadingTool(name: string): string {
  return otherTools.get(name)?.leader ?? name
}

export function activityOf(name: string): string | undefined {
  return (tools.get(name) ?? otherTools.get(name))?.activity
}

/** Where a tool sends what the model writes; undefined for tools that send nothing themselves. */
export function sendsTo(name: string): "any host" | "a service" | undefined {
  return otherTools.get(name)?.sendsTo
}

/** Our name for a tool; a name that is not an alias is its own. */
export function canonicalToolName(name: string): string {
  return names.get(name) ?? name
}

const mainFields = ["command", "path", "pattern", "task"] as const

/** The argument that says most about a call: shown to people in one line. */
export function mainArgument(tool: string, input: JsonValue): string {
  const found =
    connectionText(tool, input, destinationText) ??
    otherTools.get(tool)?.summary(input) ??
    ownArgument(tool, input) ??
    mainFields.map((name) => textIn(input, name)).find((text) => text !== undefined)
  return found ?? JSON.stringify(input)
}

/**
 * What a permission given in advance is matched against. Inputs may have fields that a tool does not read, so a model
 * could add the one that was allowed: only the field that the tool is known to use counts, and of other tools all.
 */
export function permissionArgument(tool: string, input: JsonValue): string {
  const own = connectionText(tool, input, ruleFor) ?? ownArgument(tool, input)
  return own ?? otherTools.get(tool)?.permission?.(input) ?? JSON.stringify(input)
}

function connectionText(
  tool: string,
  input: JsonValue,
  text: (destination: Destination) => string,
): string | undefined {
  const destination = tool === networkTool ? destinationIn(input) : undefined
  return destination === undefined ? undefined : text(destination)
}

function ownArgument(tool: string, input: JsonValue): string | undefined {
  const name = coreTool(tool)?.argument
  return name === undefined ? undefined : textIn(input, name)
}

function firstQuestion(input: JsonValue): string | undefined {
  const questions = memberIn(input, "questions")
  return Array.isArray(questions) && questions[0] !== undefined ? textIn(questions[0], "question") : undefined
}

/** `3 tasks` for a list of three. */
function count(input: JsonValue, field: string, noun: string): string | undefined {
  const list = memberIn(input, field)
  return Array.isArray(list) ? `${list.length} ${noun}${list.length === 1 ? "" : "s"}` : undefined
}
