// Which models a visitor may choose over the WebSocket API: those that the operator lists for the agent, and never an
// offline model, which runs whatever tool the message names. The operator's own choice of a model is not concerned.
import type { Config } from "../contract/config.ts"
import { offlineProvider } from "../models/model-name.ts"
import type { ModelRegistry } from "../models/registry.ts"

export interface VisitorModels {
  readonly agents: NonNullable<Config["agents"]>
  readonly models: Pick<ModelRegistry, "routeOf" | "defaultModel">
}

export async function visitorMayChoose(deps: VisitorModels, agentId: string, model: string): Promise<boolean> {
  const { agents, models } = deps
  const chosen = await models.routeOf(model)
  if (chosen === undefined || chosen.provider === offlineProvider) return false
  if (Object.keys(agents).length === 0)
    return chosen.provider === (await models.routeOf(await models.defaultModel()))?.provider
  const listed = await Promise.all((await modelsOf(deps, agentId)).map((name) => models.routeOf(name)))
  return listed.some((route) => route?.provider === chosen.provider && route.model === chosen.model)
}

async function modelsOf({ agents, models }: VisitorModels, agentId: string): Promise<readonly string[]> {
  const agent = Object.hasOwn(agents, agentId) ? agents[agentId] : undefined
  if (agent === undefined) return []
  return agent.models ?? [agent.model ?? (await models.defaultModel())]
}

/** One line for each listed model that no visitor will ever get. */
export function offlineModelWarnings({ agents = {} }: Config): readonly string[] {
  return Object.entries(agents).flatMap(([agentId, { models = [] }]) =>
    models.filter(isOffline).map((name) => `agents.${agentId}.models: "${name}" is ignored. ${remedy}`),
  )
}

const remedy = "Visitors cannot choose offline models; remove it from the list."

function isOffline(name: string): boolean {
  return name === offlineProvider || name.startsWith(`${offlineProvider}/`)
}
