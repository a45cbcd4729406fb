// What another node adds to a delta: native clients at the owner and at another node get the same deltas, in this process.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { connect } from "@nats-io/transport-node"
import {
  describeRefusal,
  type HouseClient,
  type OpenedRemote,
  type WatchItem,
} from "../../src/clients/house/house-client.ts"
import { clockMs } from "../doors/clock.ts"
import { RunningProcess } from "../doors/running-process.ts"
import { quantile } from "../quantile.ts"
import { startNodes, stopNodes } from "./cluster-nodes.ts"
import type { Part, PartContext } from "./part.ts"

const EVERY_MS = 20
const ROUNDS = 2
/** The first deltas of a stream are not counted. */
const UNCOUNTED = 25
/** Of a sealed message with one delta of the provider, measured in a run. */
const MESSAGE_BYTES = 300

export const delay: Part = {
  title: "A delta at another node",
  legend:
    "Ours: arrival at a client of another node minus arrival at a client of the owner. Bare: one message of NATS between two processes.",
  async run(context: PartContext): Promise<void> {
    const { world, servers, isQuick } = context
    const nodes = await startNodes(world, servers, ["a", "b"], servers.postgres.createDatabase())
    const clients = await Promise.all(nodes.map((node) => node.native()))
    const loads = isQuick
      ? [{ count: 2, tokens: 40 }]
      : [
          { count: 1, tokens: 1100 },
          { count: 20, tokens: 300 },
        ]
    for (const load of loads) await measure(context, clients, load)
    for (const client of clients) client.close()
    await stopNodes(nodes)
  },
}

interface StreamLoad {
  readonly count: number
  readonly tokens: number
}

async function measure(context: PartContext, clients: readonly HouseClient[], load: StreamLoad): Promise<void> {
  const { report, progress, isQuick } = context
  const name = `${load.count} x ${1000 / EVERY_MS}/s`
  const figures = { p50: `${name}, median`, p99: `${name}, p99` }
  for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
    progress(`${name}, NATS alone`)
    const bare = await natsAlone(context, { ...load, tokens: Math.min(load.tokens, 300) })
    progress(`${name}, two nodes`)
    const added = await twoNodes(context, clients, load)
    for (const [kind, values] of [
      ["bare", bare],
      ["ours", added],
    ] as const) {
      report.add("house", figures.p50, kind, quantile(values, 0.5))
      report.add("house", figures.p99, kind, quantile(values, 0.99))
    }
    report.add("house", `${name}, deltas of a round`, "ours", added.length)
  }
  report.row("delay", "house", figures.p50, "ms")
  report.row("delay", "house", figures.p99, "ms", { of: "alone", atMost: 3 })
  report.row("delay", "house", `${name}, deltas of a round`, "deltas")
}

async function twoNodes(
  { world }: PartContext,
  [owner, other]: readonly HouseClient[],
  { count, tokens }: StreamLoad,
): Promise<readonly number[]> {
  if (owner === undefined || other === undefined) throw new Error("two nodes are needed")
  const streams = await Promise.all(
    Array.from({ length: count }, async () => {
      const session = opened(await owner.create({ cwd: world.folder, origin: "bench" }))
      const [near, far] = [new Arrivals(tokens), new Arrivals(tokens)]
      const leave = await session.watch(0, (item) => near.receive(item))
      const leaveFar = await opened(await other.open(session.sessionId)).watch(0, (item) => far.receive(item))
      return { session, near, far, leave, leaveFar }
    }),
  )
  const added = await Promise.all(
    streams.map(async ({ session, near, far, leave, leaveFar }) => {
      const text = `${tokens} tokens, one every ${EVERY_MS} ms`
      const sent = await session.send({ type: "prompt", promptId: `prm_${session.sessionId}`, text, ifBusy: "wait" })
      if (sent.kind === "refused") throw new Error(describeRefusal(sent.refusal))
      await Promise.all([near.complete, far.complete])
      leave()
      leaveFar()
      return far.times.map((at, index) => at - (near.times[index] ?? Number.NaN)).slice(UNCOUNTED)
    }),
  )
  return added.flat()
}

function opened(outcome: OpenedRemote) {
  if (outcome.kind === "refused") throw new Error(describeRefusal(outcome.refusal))
  return outcome.handle
}

/** When each token was complete. Both clients must get every one as a delta. */
class Arrivals {
  readonly times: number[] = []
  readonly #complete = Promise.withResolvers<void>()
  readonly complete = this.#complete.promise
  readonly #tokens: number

  constructor(tokens: number) {
    this.#tokens = tokens
  }

  receive(item: WatchItem): void {
    const at = clockMs()
    if (item.kind === "streamed" && this.times.length > 0)
      this.#complete.reject(new Error("deltas were left out: the machine is too slow for this load"))
    if (item.kind === "lost") this.#complete.reject(new Error(describeRefusal(item.refusal)))
    if (item.kind !== "delta" || item.delta.type !== "text.delta") return
    for (let count = item.delta.delta.split(";").length - 1; count > 0; count--) this.times.push(at)
    if (this.times.length === this.#tokens) this.#complete.resolve()
  }
}

/** Another process publishes as many messages as the streams have deltas. */
async function natsAlone({ world, servers }: PartContext, { count, tokens }: StreamLoad): Promise<readonly number[]> {
  const connection = await connect({ servers: servers.nats.url })
  const delays: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const callback = (_: Error | null, { data }: { readonly data: Uint8Array }) => {
    delays.push(clockMs() - Number(Buffer.from(data).toString()))
    if (delays.length === count * tokens) resolve()
  }
  connection.subscribe("bench", { callback })
  await connection.flush()
  const script = fileURLToPath(new URL("publisher-process.ts", import.meta.url))
  const args = [servers.nats.url, count, tokens, EVERY_MS, MESSAGE_BYTES].map(String)
  const child = spawn(process.execPath, [script, ...args], { env: world.env(""), stdio: ["pipe", "ignore", "pipe"] })
  const stop = world.watch(child, new RunningProcess(child))
  await Promise.race([promise, world.failed])
  await stop()
  await connection.close()
  return delays.slice(count * UNCOUNTED)
}
