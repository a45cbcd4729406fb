// The meters of a node: those of its hosts and of its bus, which both may be replaced while the process runs.
import { NodeMeters } from "../../server/monitoring/node-meters.ts"
import type { NatsBus } from "../../transports/nats/nats-bus.ts"
import { busMetrics } from "../cluster/bus-metrics.ts"
import type { Cluster } from "../cluster/cluster.ts"

export class ServedNode {
  readonly meters: NodeMeters
  bus: NatsBus | undefined

  constructor({ node }: Cluster) {
    this.meters = new NodeMeters(node)
    this.meters.add(() => (this.bus === undefined ? [] : busMetrics(this.bus)))
  }
}
