// The state of MCP servers in the open sessions of a home. Starts no server and no host.
import type { McpServerReport } from "../../contract/views/host.ts"
import type { ClusterPlace } from "../cluster/cluster.ts"
import { askEveryHost, type HostAnswer } from "../host/ask-every-host.ts"
import type { ListedServer, ListedServers, ServerState } from "./list.ts"

export type HostServers = HostAnswer<readonly McpServerReport[]>

export function askHosts(place: ClusterPlace): Promise<readonly HostServers[]> {
  return askEveryHost(place, "mcp", (port) => port.query({ type: "mcp-servers" }))
}

/** Those that can be used have their state in open sessions instead of that of their settings. */
export function withOpenSessions(found: ListedServers, hosts: readonly HostServers[]): ListedServers {
  const servers = found.servers.map((server) => {
    const states = new Set(reportsOf(server, hosts).map(({ state }) => state))
    const seen = liveStates.find(([live]) => states.has(live))
    return seen === undefined || server.transport === null ? server : { ...server, state: seen[1] }
  })
  return { ...found, servers }
}

/**
 * The most useful first: a server that runs in one session and failed in another one runs. Whether it needs a login is
 * known from the stored logins, which may be newer than the state of a session.
 */
const liveStates: readonly (readonly [McpServerReport["state"], ServerState])[] = [
  ["ready", "running"],
  ["starting", "starting"],
  ["failed", "failed"],
]

/** A server of the same name in another file is another server. */
export function reportsOf(
  { name, source }: Pick<ListedServer, "name" | "source">,
  hosts: readonly HostServers[],
): readonly McpServerReport[] {
  return hosts.flatMap(({ value = [] }) => value.filter((report) => report.name === name && report.source === source))
}
