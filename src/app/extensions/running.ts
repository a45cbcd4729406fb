// State of the extensions of open sessions, queried from every host of this home that answers. Starts no host and creates
// no log.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { LiveHost } from "../../log/event-log.ts"
import type { BroughtListing } from "../../models/listing.ts"
import { refusalFault } from "../app-fault.ts"
import { openLog } from "../compose.ts"
import { Connections } from "../host/connections.ts"

/** The fields that are shown; JSON output passes on the others too. */
export interface RunningExtension {
  readonly id: string
  readonly sessionId: string
  readonly health: string
  readonly isOutdated: boolean
  readonly restarts: number
  readonly lastFault: string | null
  /** Absent for a host of an older release. */
  readonly models?: readonly BroughtListing[]
  readonly times: { readonly calls: number; readonly medianMs: number; readonly longestMs: number }
}

export interface HostReport {
  readonly host: LiveHost
  /** Absent if the host did not answer. */
  readonly extensions: readonly RunningExtension[] | undefined
}

export async function askHosts(home: string): Promise<readonly HostReport[]> {
  if (!existsSync(join(home, "turnhouse.db"))) return []
  const log = openLog(home)
  const connections = new Connections(home, "ext")
  try {
    const hosts = await log.hosts()
    if (hosts.kind === "refused") throw refusalFault(hosts.refusal)
    return await Promise.all(hosts.value.map(async (host) => ({ host, extensions: await askHost(host, connections) })))
  } finally {
    connections.close()
    await log.close()
  }
}

/** A host of an older release does not know the query. */
async function askHost({ hostId }: LiveHost, connections: Connections): Promise<HostReport["extensions"]> {
  const port = await connections.to(hostId)
  const answered = await port?.query({ type: "extensions" })
  if (answered?.kind !== "answer") return undefined
  const value: unknown = answered.value
  return Array.isArray(value) && value.every(isRunningExtension) ? value : undefined
}

function isRunningExtension(value: unknown): value is RunningExtension {
  if (typeof value !== "object" || value === null) return false
  if (!("id" in value && "sessionId" in value && "health" in value && "isOutdated" in value)) return false
  if (!("restarts" in value && "lastFault" in value && "times" in value)) return false
  if ("models" in value && !(Array.isArray(value.models) && value.models.every(isBroughtListing))) return false
  const texts = [value.id, value.sessionId, value.health, value.lastFault ?? ""]
  return texts.every((text) => typeof text === "string") && typeof value.restarts === "number" && isTimes(value.times)
}

function isTimes(value: unknown): value is RunningExtension["times"] {
  if (typeof value !== "object" || value === null) return false
  if (!("calls" in value && "medianMs" in value && "longestMs" in value)) return false
  return [value.calls, value.medianMs, value.longestMs].every((number) => typeof number === "number")
}

function isBroughtListing(value: unknown): value is BroughtListing {
  if (typeof value !== "object" || value === null) return false
  if (!("name" in value && "displayName" in value && "contextWindow" in value)) return false
  const { contextWindow } = value
  const isText = typeof value.name === "string" && typeof value.displayName === "string"
  return isText && (contextWindow === null || typeof contextWindow === "number")
}
