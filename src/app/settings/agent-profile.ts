// The configured profile of an agent of the WebSocket API: its name and tools. Without configured agents every name has
// the defaults; otherwise an agent that is not configured has no tools.
import type { Config } from "../../contract/config.ts"
import { fitsServerTool } from "../../contract/rules/server-tools.ts"
import { fitsGlob } from "../../contract/text/glob.ts"
import type { ServiceSettings, SettingsRequest } from "../../runner/session-context.ts"
import { serviceTools } from "../../features/chat-service/tools.ts"
import { builtInToolNames, canonicalToolName } from "../../contract/rules/core-tools.ts"
import { isAgentTool, type Tool } from "../../tools/tool.ts"

export type AgentProfile = NonNullable<Config["agents"]>[string]

export function profileOf({ agents = {} }: Config, agentId: string | undefined): AgentProfile {
  return agentId !== undefined && Object.hasOwn(agents, agentId) ? (agents[agentId] ?? {}) : {}
}

export function serviceSetting(config: Config, { agentId }: Pick<SettingsRequest, "agentId">): ServiceSettings {
  const {
    instructions = config.system,
    greeting,
    visibility,
    preamble,
    workflow,
    judge,
    tools = [],
  } = profileOf(config, agentId)
  const allows = isMissing(config, agentId) ? () => false : allowedBy(tools)
  return { instructions, greeting, visibility, preamble, workflow, judge, allows }
}

/** An agent may be removed from the configuration while its conversations exist: they must not get more tools then. */
export function toolsInConfig(all: readonly Tool[], config: Config, agentId: string | undefined): readonly Tool[] {
  return isMissing(config, agentId) ? [] : toolsOfAgent(all, profileOf(config, agentId))
}

function isMissing({ agents = {} }: Config, agentId: string | undefined): boolean {
  return Object.keys(agents).length > 0 && (agentId === undefined || !Object.hasOwn(agents, agentId))
}

/** The document sets of an agent. One that is no longer in the configuration has none. */
export function setsInConfig(config: Config, agentId: string | undefined): readonly string[] | undefined {
  return isMissing(config, agentId) ? [] : profileOf(config, agentId).documents
}

/** With a list only the named tools; without one all tools for visitors. */
export function toolsOfAgent(all: readonly Tool[], { tools: patterns = [] }: AgentProfile): readonly Tool[] {
  const isAllowed = allowedBy(patterns)
  const named = new Set(patterns.map(canonicalToolName))
  const isOffered = ({ name }: Tool) => (isForVisitors(name) ? isAllowed(name) : named.has(name))
  return [...all, ...serviceTools()].filter(isOffered)
}

/** Built-in tools must be listed by name; a pattern does not select them. */
function isForVisitors(tool: string): boolean {
  return !builtInToolNames.includes(tool) && !isAgentTool(tool)
}

function allowedBy(patterns: readonly string[]): (tool: string) => boolean {
  if (patterns.length === 0) return () => true
  return (tool) => patterns.some((pattern) => fitsGlob(pattern, tool) || fitsServerTool(pattern, tool))
}
