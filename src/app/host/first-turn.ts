// Loads what the first turn of a process needs, while the process is idle: each part in a turn of the event loop of its own,
// so that a request that comes meanwhile waits for one part at most. It must not send, start or write anything.
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises"
import type { Config } from "../../contract/config.ts"
import { configuredNames } from "../../models/configured-names.ts"
import { connectionsFor } from "../../models/http/connections.ts"
import type { ModelRegistry } from "../../models/registry.ts"

/** Models of the configuration that are prepared; a session may name any other. */
const MAX_MODELS = 4

/** Requests that are waiting when the process is ready come first: until a timer of this length is on time. */
const QUIET_MS = 25
/** On a busy machine none is. */
const MAX_LATE = 20

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
    () => connectionsFor("https:"),
    ...models.map((model) => () => registry.resolve(model)),
    () => import("../environment/environment.ts").then(({ timeZone }) => timeZone()),
    () => import("../settings/mcp-servers.ts"),
    () => import("../../mcp/oauth/stored-login.ts"),
    () => import("../../config/agents/agent-files.ts"),
  ]
  await quietMoment()
  for (const part of parts) {
    await nextTurn()
    await Promise.try(part).catch(() => {})
  }
}

async function quietMoment(): Promise<void> {
  for (let late = 0; late < MAX_LATE; late++) {
    const begun = performance.now()
    await pause(QUIET_MS)
    if (performance.now() - begun < 2 * QUIET_MS) return
  }
}
