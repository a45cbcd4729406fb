// What the configuration says of an agent of the WebSocket API: who it is and which tools it has. Where no agent is
// configured every name is one with the defaults; else one that is not named has no tools.
import type { Config } from "../../contract/config.ts"
import { fitsGlob } from "../../contract/glob.ts"
import type { ServiceSetting, SettingWish } from "../../runner/services.ts"
import { serviceTools } from "../../features/chat-service/tools.ts"
import { canonicalToolName, coreTools, isAgentTool } from "../../tools/tool-names.ts"
import type { Tool } from "../../tools/tool.ts"

export type AgentProfile = NonNullable<Config["agents"]>[string]

export function profileOf({ agents = {} }: Config, agentId: string | undefined): AgentProfile {
  return agentId !== undefined && Object.hasOwn(agents, agentId) ? (agents[agentId] ?? {}) : {}
}

export function serviceSetting(config: Config, { agentId }: Pick<SettingWish, "agentId">): ServiceSetting {
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

/** A conversation outlives its agent's place in the configuration: without one it must not get more than it had. */
export function toolsInConfig(all: readonly Tool[], config: Config, agentId: string | undefined): readonly Tool[] {
  return isMissing(config, agentId) ? [] : toolsOfAgent(all, profileOf(config, agentId))
}

function isMissing({ agents = {} }: Config, agentId: string | undefined): boolean {
  return Object.keys(agents).length > 0 && (agentId === undefined || !Object.hasOwn(agents, agentId))
}

/** A list that names something keeps only that; without one the agent has all that is meant for visitors. */
export function toolsOfAgent(all: readonly Tool[], { tools: patterns = [] }: AgentProfile): readonly Tool[] {
  const isAllowed = allowedBy(patterns)
  const named = new Set(patterns.map(canonicalToolName))
  const isMeant = ({ name }: Tool) => (isForVisitors(name) ? isAllowed(name) : named.has(name))
  return [...all, ...serviceTools()].filter(isMeant)
}

/** Shell, files and agents are not: a pattern does not bring them, only their names do. */
function isForVisitors(tool: string): boolean {
  return !coreTools.some((name) => name === tool) && !isAgentTool(tool)
}

function allowedBy(patterns: readonly string[]): (tool: string) => boolean {
  if (patterns.length === 0) return () => true
  return (tool) => patterns.some((pattern) => fitsGlob(pattern, tool))
}
