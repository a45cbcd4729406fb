// Translates a settings file of Claude Code into settings of ours, and names what has no counterpart.
import { isObject } from "../../contract/json-object.ts"
import { builtInToolNames, canonicalToolName } from "../../contract/rules/core-tools.ts"
import { isServerTool } from "../../contract/rules/server-tools.ts"
import { parseToolRule, toolRuleProblem } from "../../contract/rules/tool-rule.ts"
import { oneLine } from "../../contract/text/text.ts"
import { hookMatcher } from "../../contract/rules/hook-matcher.ts"
import { hookNames, type HookEntry, type HookName } from "../../contract/rules/hook-settings.ts"

export interface ImportedSettings {
  readonly allow: readonly string[]
  readonly confirm: readonly string[]
  readonly deny: readonly string[]
  readonly hooks: Readonly<Partial<Record<HookName, readonly HookEntry[]>>>
  /** What was left out, and why. */
  readonly skipped: readonly string[]
}

export function translateClaudeSettings(settings: unknown): ImportedSettings {
  const skipped: string[] = []
  const skip = (what: string, why: string) => void skipped.push(`${oneLine(what, 100)}: ${why}`)
  const fields = isObject(settings) ? settings : {}
  const permissions = isObject(fields["permissions"]) ? fields["permissions"] : {}
  const rules = (key: string) =>
    listIn(permissions, key)
      .filter((rule) => isUsable(rule, skip))
      .map(translated)
  const imported = { allow: rules("allow"), confirm: rules("ask"), deny: rules("deny") }
  const hooks = translatedHooks(fields["hooks"], skip)
  for (const key of Object.keys(permissions)) if (!ruleLists.has(key)) skip(`permissions.${key}`, noCounterpart)
  for (const key of Object.keys(fields)) if (!["permissions", "hooks", "$schema"].includes(key)) skip(key, hintFor(key))
  return { ...imported, hooks, skipped }
}

type Skip = (what: string, why: string) => void

const ruleLists = new Set(["allow", "ask", "deny"])
const noCounterpart = "no counterpart"

function hintFor(key: string): string {
  if (key === "model") return "choose a model with 'turnhouse models' and \"model\" in config.json"
  if (key === "env") return "set the variables in your shell"
  if (key === "enableAllProjectMcpServers" || key === "enabledMcpjsonServers")
    return "not needed: servers of .mcp.json are used in trusted folders"
  if (key === "disabledMcpjsonServers") return 'set "disabled" for them under "mcpServers" in turnhouse.json'
  return noCounterpart
}

function listIn(fields: Readonly<Record<string, unknown>>, key: string): string[] {
  const list = fields[key]
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : []
}

/** Sub-agents are one tool there and several here. */
const agentTools = new Set(["Task", "Agent"])

function isUsable(rule: string, skip: Skip): boolean {
  const { name, argument } = parseToolRule(rule)
  const problem = toolRuleProblem(rule) ?? ruleProblem(name, argument)
  if (problem !== undefined) skip(rule, problem)
  return problem === undefined
}

function ruleProblem(name: string, argument: string | undefined): string | undefined {
  if (agentTools.has(name)) return argument === undefined ? undefined : "a rule cannot be about a single agent"
  if (isServerTool(name)) return argument === undefined ? undefined : "a rule about a tool of a server has no argument"
  return builtInToolNames.includes(canonicalToolName(name)) ? undefined : `there is no tool ${name}`
}

/** By our name; the argument has the same syntax. */
function translated(rule: string): string {
  const { name, argument } = parseToolRule(rule)
  if (agentTools.has(name)) return "subagent*"
  return argument === undefined ? canonicalToolName(name) : `${canonicalToolName(name)}(${argument})`
}

function translatedHooks(value: unknown, skip: Skip): ImportedSettings["hooks"] {
  if (!isObject(value)) return {}
  const known = hookNames.flatMap((name) => {
    const entries = entriesIn(value[name], name, skip)
    return entries.length === 0 ? [] : [[name, entries] as const]
  })
  for (const name of Object.keys(value))
    if (hookNames.every((other) => other !== name)) skip(`hooks.${name}`, "this hook is not supported")
  return Object.fromEntries(known)
}

function entriesIn(value: unknown, name: HookName, skip: Skip): HookEntry[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    skip(`hooks.${name}`, "it must be a list")
    return []
  }
  return value.filter(isObject).flatMap((entry) => {
    const { matcher } = entry
    const commands = commandsIn(entry["hooks"], name, skip)
    if (commands.length === 0) return []
    if (matcher === undefined) return [{ hooks: commands }]
    if (typeof matcher === "string" && hookMatcher.test(matcher)) return [{ matcher, hooks: commands }]
    skip(
      `hooks.${name} ${JSON.stringify(matcher)}`,
      "a matcher must be names of tools separated by '|', with '*' for any text",
    )
    return []
  })
}

function commandsIn(value: unknown, name: HookName, skip: Skip): HookEntry["hooks"] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).flatMap(({ type, command, timeout }) => {
    if (type === "command" && typeof command === "string" && command !== "")
      return [{ type, command, ...(isSeconds(timeout) ? { timeout } : {}) }]
    skip(`hooks.${name} of type ${JSON.stringify(type)}`, "only shell commands are supported")
    return []
  })
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= 600
}
