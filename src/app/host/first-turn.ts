// Loads what the first turn of a process needs, while the process is idle: each part in a turn of the event loop of its own,
// so that a request that comes meanwhile waits for one part at most. It must not send, start or write anything.
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Config } from "../../contract/config.ts"
import { configuredNames } from "../../models/configured-names.ts"
import { connectionsFor } from "../../models/http/connections.ts"
import type { ModelRegistry } from "../../models/registry.ts"
import { quietMoment } from "./quiet-moment.ts"

/** Models of the configuration that are prepared; a session may name any other. */
const MAX_MODELS = 4

/** For a host whose sessions are not known yet. */
export function prepareConfigured(registry: ModelRegistry, config: Config): Promise<void> {
  const names = new Set(configuredNames(config).map(({ name }) => name))
  return prepareFirstTurn(registry, [...names].slice(0, MAX_MODELS))
}

/** `models`: names of models that turns will probably use. Never rejects: the turn itself reports what it cannot use. */
export async function prepareFirstTurn(registry: ModelRegistry, models: readonly string[]): Promise<void> {
  const parts: readonly (() => unknown)[] = [
    () => import("../../models/providers/adapters.ts"),
    () => connectionsFor("http:"),
    ...models.map((model) => () => registry.resolve(model)),
    () => import("../environment/environment.ts").then(({ timeZone }) => timeZone()),
    () => import("../settings/mcp-servers.ts"),
    () => import("../../mcp/oauth/stored-login.ts"),
    () => import("../../config/agents/agent-files.ts"),
    () => connectionsFor("https:"),
  ]
  await quietMoment()
  for (const part of parts) {
    await nextTurn()
    await Promise.try(part).catch(() => {})
  }
}
