// Stores or finds the session before the engine is loaded, so that the parent gets `ready` sooner. Does only what needs no
// engine, and keeps nothing open: the host opens the session like any other.
import { loginsOf } from "../settings/model-files.ts"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import { newSessionId } from "../../host/new-ids.ts"
import type { EventLog } from "../../log/event-log.ts"
import { thisHost } from "../../log/process-identity.ts"
import { openLogWithWriter } from "../../log-writer/client.ts"
import { readStatus } from "../../projection/status.ts"
import { firstAppend } from "../../runner/first-append.ts"
import { headKey, homeKey } from "../../secrets/home-key.ts"
import { accepted } from "../app-fault.ts"
import { clusterOf } from "../cluster/cluster.ts"
import type { AppContext } from "../context.ts"
import { configuredSession } from "../settings/new-session.ts"
import { openRedactor } from "../secrets/home-secrets.ts"
import { printNotice } from "../terminal.ts"

export interface EarlySession {
  readonly sessionId: SessionId
  readonly model: string
  readonly isNew: boolean
  /** Lets other processes open it; to be awaited before this one does. */
  release(): Promise<void>
}

/** Nothing if it takes the engine. */
export async function earlySession(
  context: AppContext,
  request: SessionOptions,
  requestedId: string | undefined,
): Promise<EarlySession | undefined> {
  if (clusterOf(context) !== undefined) return undefined
  const key = headKey(homeKey(context.home))
  const path = join(context.home, "turnhouse.db")
  const { value: log } = accepted(openLogWithWriter({ path, headKey: key, warn: printNotice }))
  const found =
    requestedId === undefined || requestedId === ""
      ? await store(log, context, request)
      : await atRest(log, requestedId, request)
  if (found === undefined) await log.close()
  return found
}

async function store(log: EventLog, { config, home }: AppContext, request: SessionOptions): Promise<EarlySession> {
  const defaults = configuredSession(config)
  const { preset = "trusting", system = defaults.system, toolMode = defaults.toolMode } = request
  const { thinking = defaults.thinking } = request
  const model = request.model ?? (await defaultModel(config, home))
  const at = Date.now()
  const sessionId = newSessionId(at)
  const created = {
    type: "session.created",
    ...defaults,
    ...request,
    sessionId,
    model,
    thinking,
    preset,
    system,
    toolMode,
  } as const
  const scrubber = openRedactor(home, config)
  const { value: lease } = accepted(await log.registerHost(thisHost("rpc")))
  accepted(await log.create(lease, firstAppend(created, scrubber, at)))
  const release = async () => {
    accepted(await log.releaseHost(lease))
    await log.close()
  }
  return { sessionId, model, isNew: true, release }
}

/** Without a configured model, the providers decide. */
async function defaultModel(config: Config, home: string): Promise<string> {
  if (config.model !== undefined) return config.model
  const { createModelSource } = await import("../../models/registry.ts")
  return createModelSource({ config, env: process.env, logins: loginsOf(home) }).defaultModel()
}

async function atRest(log: EventLog, requestedId: string, request: SessionOptions): Promise<EarlySession | undefined> {
  const row = await log.find(requestedId.toLowerCase())
  const status = row.kind === "ok" ? readStatus(row.value.summary) : undefined
  if (row.kind === "refused" || status === undefined || row.value.owner !== undefined) return undefined
  if (status.inTurn || status.compacting || status.waitingPrompts > 0) return undefined
  const { sessionId } = row.value
  return { sessionId, model: request.model ?? status.model, isNew: false, release: () => log.close() }
}
