// Defaults of new sessions from the configuration.
import type { Config } from "../../contract/config.ts"
import { limits } from "../../contract/limits.ts"
import type { NewSession } from "../../host/open-sessions.ts"
import { localUser } from "../local-user.ts"

export type ConfiguredSession = Pick<
  NewSession,
  "org" | "owner" | "thinking" | "toolMode" | "limits" | "budget" | "system"
>

export function configuredSession(config: Config): ConfiguredSession {
  const { stepsPerTurn, depth, children } = { ...limits.sessionDefaults, ...set(config.limits) }
  return {
    org: "local",
    owner: localUser(),
    thinking: config.thinking,
    toolMode: config.tools?.mode ?? "Smart",
    limits: { stepsPerTurn, depth, children },
    budget: { usd: config.budget?.usdPerTree, tokens: config.budget?.tokensPerTree },
    system: config.system,
  }
}

/** For a session of the WebSocket API: no sub-agents, and a limit of steps. */
export function configuredService(config: Config): ConfiguredSession {
  const defaults = configuredSession(config)
  const stepsPerTurn = Math.min(limits.serviceStepsPerTurn, config.limits?.stepsPerTurn ?? limits.serviceStepsPerTurn)
  const toolMode = defaults.toolMode === "None" ? "None" : "Smart" // the profile of the agent selects the tools
  return { ...defaults, toolMode, limits: { stepsPerTurn, depth: 0, children: 0 }, system: undefined }
}

/** A limit that is set to undefined must not hide the default. */
function set(values: Config["limits"]): Partial<Record<"stepsPerTurn" | "depth" | "children", number>> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined))
}
