// Counters of this process as a node of a cluster, in the Prometheus format. They outlive the hosts of the process and can be
// read while the node is fenced. Distributions are kept as counts of buckets: their memory does not grow.
import type { HostMeter } from "../../host/cluster-member.ts"

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly samples: readonly Sample[]
}

export interface Sample {
  /** Behind the name, as in `_bucket`. */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

export type MetricSource = () => readonly Metric[]

/** A round trip to a server, up to the longest that a write waits. */
const storeSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export class NodeMeters implements HostMeter {
  readonly type = "text/plain; version=0.0.4; charset=utf-8"
  readonly #node: { readonly name: string; readonly release: string }
  readonly #sources: MetricSource[] = []
  readonly #renewals = new Distribution(storeSeconds)
  readonly #appends = new Distribution(storeSeconds)
  readonly #errors = new Map<string, number>()
  #adopted = 0
  #moved = 0

  constructor(node: { readonly name: string; readonly release: string }) {
    this.#node = node
  }

  /** Metrics of another part of the node. */
  add(source: MetricSource): void {
    this.#sources.push(source)
  }

  readonly renewed = (ms: number): void => this.#renewals.observe(ms / 1000)
  readonly appended = (ms: number): void => this.#appends.observe(ms / 1000)

  readonly failed = (kind: string): void => {
    this.#errors.set(kind, (this.#errors.get(kind) ?? 0) + 1)
  }

  adopted(): void {
    this.#adopted += 1
  }

  moved(): void {
    this.#moved += 1
  }

  text(isFenced: boolean): string {
    const { name: node, release: version } = this.#node
    const errors = [...this.#errors].map(([kind, value]) => ({ labels: { kind }, value }))
    const own: readonly Metric[] = [
      gauge("turnhouse_node_info", "This node and its release.", { labels: { node, version }, value: 1 }),
      gauge("turnhouse_node_fenced", "1 while the node does not act, because it cannot use the store.", {
        value: isFenced ? 1 : 0,
      }),
      this.#renewals.metric("turnhouse_lease_renewal_seconds", "Time that the store took to renew the lease."),
      this.#appends.metric("turnhouse_store_append_seconds", "Time from an append to its answer, retries included."),
      counter("turnhouse_store_errors_total", "Failed calls to the store by kind.", ...errors),
      counter("turnhouse_sessions_adopted_total", "Sessions of other hosts that were continued here.", {
        value: this.#adopted,
      }),
      counter("turnhouse_sessions_moved_total", "Sessions that were moved from here to another node.", {
        value: this.#moved,
      }),
    ]
    return [...own, ...this.#sources.flatMap((source) => source())].map(metricText).join("\n")
  }
}

/** How many observations were at most each bound. */
class Distribution {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0
  #count = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.#sum += value
    this.#count += 1
    for (const [at, bound] of this.#bounds.entries()) if (value <= bound) this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  metric(name: string, help: string): Metric {
    const buckets = this.#bounds.map((bound, at) => bucket(String(bound), this.#counts[at] ?? 0))
    const samples = [
      ...buckets,
      bucket("+Inf", this.#count),
      { suffix: "_sum", value: this.#sum },
      { suffix: "_count", value: this.#count },
    ]
    return { name, help, type: "histogram", samples }
  }
}

function bucket(le: string, value: number): Sample {
  return { suffix: "_bucket", labels: { le }, value }
}

function gauge(name: string, help: string, ...samples: readonly Sample[]): Metric {
  return { name, help, type: "gauge", samples }
}

function counter(name: string, help: string, ...samples: readonly Sample[]): Metric {
  return { name, help, type: "counter", samples }
}

function metricText({ name, help, type, samples }: Metric): string {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map((sample) => sampleText(name, sample)),
  ].join("\n")
}

function sampleText(name: string, { suffix = "", labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}
