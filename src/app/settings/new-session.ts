// What every new session of a local command is given by the configuration.
import type { Config } from "../../contract/config.ts"
import { limits } from "../../contract/limits.ts"
import type { NewSession } from "../../host/session-host.ts"
import { localUser } from "../local-user.ts"

export type ConfiguredSession = Pick<NewSession, "org" | "owner" | "toolMode" | "limits" | "budget" | "system">

export function configuredSession(config: Config): ConfiguredSession {
  const { stepsPerTurn, depth, children } = { ...limits.sessionDefaults, ...set(config.limits) }
  return {
    org: "local",
    owner: localUser(),
    toolMode: config.tools?.mode ?? "Smart",
    limits: { stepsPerTurn, depth, children },
    budget: { usd: config.budget?.usdPerTree, tokens: config.budget?.tokensPerTree },
    system: config.system,
  }
}

/** The same for a session of the network door: no agents of its own, and turns that end. */
export function configuredService(config: Config): ConfiguredSession {
  const usual = configuredSession(config)
  const stepsPerTurn = Math.min(limits.serviceStepsPerTurn, config.limits?.stepsPerTurn ?? limits.serviceStepsPerTurn)
  const toolMode = usual.toolMode === "None" ? "None" : "Smart" // which tools it has is said of each agent
  return { ...usual, toolMode, limits: { stepsPerTurn, depth: 0, children: 0 }, system: undefined }
}

/** A limit that is there but undefined must not hide the default. */
function set(given: Config["limits"]): Partial<Record<"stepsPerTurn" | "depth" | "children", number>> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined))
}
