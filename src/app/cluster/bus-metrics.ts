// The bus of a node in the Prometheus format.
import type { Metric } from "../../server/monitoring/node-meters.ts"
import type { NatsBus } from "../../transports/nats/nats-bus.ts"

export function busMetrics({ state, counters }: NatsBus): readonly Metric[] {
  const { reconnects, openLinks, bytesIn, bytesOut } = counters
  return [
    {
      name: "turnhouse_bus_connected",
      help: "1 while the node is connected to NATS.",
      type: "gauge",
      samples: [{ value: state === "connected" ? 1 : 0 }],
    },
    {
      name: "turnhouse_bus_reconnects_total",
      help: "New connections to NATS after a loss.",
      type: "counter",
      samples: [{ value: reconnects }],
    },
    { name: "turnhouse_bus_links", help: "Open links to other nodes.", type: "gauge", samples: [{ value: openLinks }] },
    {
      name: "turnhouse_bus_bytes_total",
      help: "Bytes over NATS.",
      type: "counter",
      samples: [
        { labels: { direction: "in" }, value: bytesIn },
        { labels: { direction: "out" }, value: bytesOut },
      ],
    },
  ]
}
