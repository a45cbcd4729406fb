// The nodes of the cluster that a home belongs to, read from its log.
import type { NodesReport } from "../../contract/views/nodes.ts"
import { nodesReport } from "../../host/queries/nodes.ts"
import type { EventLog } from "../../log/event-log.ts"
import { version } from "../../program/program-files.ts"
import { accepted } from "../app-fault.ts"
import { clusterOf, type ClusterPlace } from "./cluster.ts"

export async function listNodes(log: EventLog, place: ClusterPlace): Promise<NodesReport> {
  const node = clusterOf(place)?.node
  return accepted(await nodesReport(log, { release: version(), ...node })).value
}
