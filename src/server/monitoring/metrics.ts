// The numbers of a server as Prometheus reads them. Counted elsewhere, put into its form here when it asks.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import type { Meters } from "./meters.ts"

export interface Measured {
  readonly meters: Meters
  /** Read at the moment of asking. */
  readonly connections: () => number
  readonly followed: () => number
  readonly sessions: () => number
  readonly approvals: () => Promise<number>
  readonly framesOut: () => number
}

const firstWordSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30]

export interface Metrics {
  readonly type: string
  text(): Promise<string>
}

export function openMetrics(measured: Measured): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry }) // memory, CPU, and how late the event loop is
  gauge(registry, "turnhouse_connections", "Sockets that are connected now.", measured.connections)
  gauge(registry, "turnhouse_conversations_followed", "Conversations that are told live now.", measured.followed)
  gauge(registry, "turnhouse_sessions_open", "Sessions that this host has open.", measured.sessions)
  gauge(registry, "turnhouse_approvals_open", "Requests that wait for a person.", measured.approvals)
  const { meters } = measured
  counter(registry, "turnhouse_connections_total", "Sockets that came in.", () => meters.connections)
  counter(registry, "turnhouse_frames_out_total", "Frames that were sent.", measured.framesOut)
  counter(registry, "turnhouse_cost_usd_total", "What models cost, as far as known.", () => meters.costUsd)
  labelled(registry, "turnhouse_turns_total", "Turns that ended, by how.", "end", meters.turns)
  labelled(registry, "turnhouse_tokens_total", "Tokens of model calls.", "direction", meters.tokens)
  firstWords(registry, meters)
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

function firstWords(registry: Registry, meters: Meters): void {
  const made = new Histogram({
    name: "turnhouse_first_token_seconds",
    help: "From the beginning of a turn to the first word of its answer.",
    buckets: firstWordSeconds,
    registers: [registry],
    collect: () => {
      for (const seconds of meters.takeFirstWords()) made.observe(seconds)
    },
  })
}
