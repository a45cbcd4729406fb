// Server metrics in the Prometheus format, collected when they are requested.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import type { Meters } from "./meters.ts"

export interface MetricSources {
  readonly meters: Meters
  /** Read when metrics are requested. */
  readonly connections: () => number
  readonly watched: () => number
  readonly sessions: () => number
  readonly approvals: () => Promise<number>
  readonly framesOut: () => number
}

const firstTokenSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30]

export interface Metrics {
  readonly type: string
  text(): Promise<string>
}

export function openMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry }) // memory, CPU and event loop lag
  gauge(registry, "turnhouse_connections", "Open WebSocket connections.", sources.connections)
  gauge(registry, "turnhouse_conversations_followed", "Conversations that sockets watch now.", sources.watched)
  gauge(registry, "turnhouse_sessions_open", "Sessions that this host has open.", sources.sessions)
  gauge(registry, "turnhouse_approvals_open", "Pending approvals.", sources.approvals)
  const { meters } = sources
  counter(registry, "turnhouse_connections_total", "Accepted WebSocket connections.", () => meters.connections)
  counter(registry, "turnhouse_frames_out_total", "Frames sent.", sources.framesOut)
  counter(registry, "turnhouse_cost_usd_total", "Known cost of model calls.", () => meters.costUsd)
  labelled(registry, "turnhouse_turns_total", "Ended turns by reason.", "end", meters.turns)
  labelled(registry, "turnhouse_tokens_total", "Tokens of model calls.", "direction", meters.tokens)
  firstToken(registry, meters)
  return { type: registry.contentType, text: () => registry.metrics() }
}

function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  const made: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => {
      made.set(await read())
    },
  })
}

function counter(registry: Registry, name: string, help: string, read: () => number): void {
  const made = new Counter({
    name,
    help,
    registers: [registry],
    collect: () => {
      made.reset()
      made.inc(read())
    },
  })
}

function labelled(
  registry: Registry,
  name: string,
  help: string,
  label: string,
  counts: Readonly<Record<string, number>>,
): void {
  const made = new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect: () => {
      made.reset()
      for (const [value, count] of Object.entries(counts)) made.inc({ [label]: value }, count)
    },
  })
}

function firstToken(registry: Registry, meters: Meters): void {
  const made = new Histogram({
    name: "turnhouse_first_token_seconds",
    help: "Time from the start of a turn to its first token.",
    buckets: firstTokenSeconds,
    registers: [registry],
    collect: () => {
      for (const seconds of meters.takeFirstTokens()) made.observe(seconds)
    },
  })
}
