// The MCP servers of a session: which of those in several places it uses, and why it does not use the others. The first
// place that has a name decides about it: a definition is never combined from two places. Reads no files.
import { isObject } from "../contract/json-object.ts"
import type { McpServer, ServerPlace } from "./mcp-server.ts"
import { parseServer } from "./parse-server.ts"

export type { McpServer, ServerPlace } from "./mcp-server.ts"

export interface UnusedServer {
  readonly name: string
  readonly source: string
  /** Absent if it is disabled. */
  readonly problem?: string
}

export interface ServerSettings {
  /** By name. */
  readonly servers: readonly McpServer[]
  readonly unused: readonly UnusedServer[]
}

/** Servers of one session; each may be a process. */
export const MAX_SERVERS = 50

/** The nearest place first. */
export function serversIn(places: readonly ServerPlace[]): ServerSettings {
  const servers: McpServer[] = []
  const unused: UnusedServer[] = []
  for (const { name, value, place } of firstOfEach(places)) {
    const { source } = place
    const parsed = place.disabled?.has(name) === true ? { kind: "disabled" as const } : parseServer(name, value, place)
    if (parsed.kind === "disabled") unused.push({ name, source })
    else if (parsed.kind === "unusable") unused.push({ name, source, problem: parsed.problem })
    else if (servers.length < MAX_SERVERS) servers.push(parsed.server)
    else unused.push({ name, source, problem: `a session has at most ${MAX_SERVERS} servers` })
  }
  return { servers: servers.toSorted(byName), unused: unused.toSorted(byName) }
}

interface Entry {
  readonly name: string
  readonly value: unknown
  readonly place: ServerPlace
}

function firstOfEach(places: readonly ServerPlace[]): readonly Entry[] {
  const found = new Map<string, Entry>()
  for (const place of places) {
    const entries = isObject(place.servers) ? Object.entries(place.servers) : []
    for (const [name, value] of entries) if (!found.has(name)) found.set(name, { name, value, place })
  }
  return [...found.values()]
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1
}
