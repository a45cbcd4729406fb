// The same streams on one node and on three: processor time of the nodes for each token, and that of the servers beside it.
import type { Client } from "../doors/clients/client.ts"
import { SocketClient } from "../doors/clients/socket-client.ts"
import { pause } from "../doors/clock.ts"
import { warmUp, type Contender } from "../doors/contender.ts"
import { quantile } from "../quantile.ts"
import { startNodes } from "./cluster-nodes.ts"
import type { Part, PartContext } from "./part.ts"
import { cpuOfServers } from "./servers.ts"

const SESSIONS = 60
const EVERY_MS = 50
const TOKENS = 160
const ROUNDS = 3

export const nodes: Part = {
  title: "The same streams on one node and on three",
  legend: `${SESSIONS} streams of ${1000 / EVERY_MS} tokens/s. Ours: three nodes, a third of the visitors at another node than that of their session. Bare: one node with the same servers.`,
  async run(context: PartContext): Promise<void> {
    const { report, isQuick } = context
    for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
      await alone(context)
      for (const [kind, names] of [
        ["bare", ["one"]],
        ["ours", ["a", "b", "c"]],
      ] as const)
        await inCluster(context, kind, names)
    }
    report.row("nodes", "ws", figures.nodes, "ms", { of: "ratio", atMost: 1.3 })
    for (const [figure, unit] of rows) report.row("nodes", "ws", figure, unit)
  },
}

const figures = {
  nodes: "CPU of the nodes for 1,000 tokens",
  postgres: "CPU of PostgreSQL for 1,000 tokens",
  nats: "CPU of NATS for 1,000 tokens",
  median: "median of the delay",
  p99: "p99 of the delay",
  missing: "not sent as deltas",
  sqlite: "one node with SQLite, CPU for 1,000 tokens",
}
const rows = [
  [figures.postgres, "ms"],
  [figures.nats, "ms"],
  [figures.median, "ms"],
  [figures.p99, "ms"],
  [figures.missing, "%"],
  [figures.sqlite, "ms"],
] as const

async function alone(context: PartContext): Promise<void> {
  const { world, report, progress } = context
  progress("one node with SQLite")
  const contender = await world.start("ws", "ours")
  await warmUp(contender)
  const visitors = await visitorsOf([contender], countIn(context))
  const before = contender.process.cpuMs
  const { tokens } = await stream(visitors, context)
  report.add("ws", figures.sqlite, "ours", ((contender.process.cpuMs - before) / tokens) * 1000)
  await contender.stop()
}

async function inCluster(context: PartContext, kind: "ours" | "bare", names: readonly string[]): Promise<void> {
  const { world, servers, report, progress } = context
  progress(`${names.length} nodes`)
  const started = await startNodes(world, servers, names, servers.postgres.createDatabase())
  const contenders = started.map(({ contender }) => contender)
  const visitors = await visitorsOf(contenders, countIn(context))
  const cpu = () => ({
    nodes: contenders.reduce((sum, { process }) => sum + process.cpuMs, 0),
    ...cpuOfServers(servers),
  })
  const before = cpu()
  const { tokens, arrived, delays } = await stream(visitors, context)
  const after = cpu()
  for (const name of ["nodes", "postgres", "nats"] as const)
    report.add("ws", figures[name], kind, ((after[name] - before[name]) / tokens) * 1000)
  report.add("ws", figures.median, kind, quantile(delays, 0.5))
  report.add("ws", figures.p99, kind, quantile(delays, 0.99))
  report.add("ws", figures.missing, kind, 100 * (1 - arrived / tokens))
  await Promise.all(contenders.map((contender) => contender.stop()))
}

function countIn({ isQuick }: PartContext): number {
  return isQuick ? 6 : SESSIONS
}

/** Spread over the nodes; every third visitor is at the node after that of its session. */
async function visitorsOf(contenders: readonly Contender[], count: number): Promise<readonly Client[]> {
  const at = (index: number) => contenders[index % contenders.length]?.address ?? ""
  const visitors: Client[] = []
  for (let index = 0; index < count; index++) {
    const owner = await SocketClient.open(at(index))
    await owner.ask()
    const isElsewhere = contenders.length > 1 && Math.floor(index / contenders.length) % 3 === 0
    visitors.push(isElsewhere ? await moved(owner, at(index + 1)) : owner)
  }
  await Promise.all(visitors.map((visitor) => visitor.turn("1 tokens, one every 0 ms")))
  return visitors
}

/** The same conversation at another node; its session stays where it is. */
async function moved(owner: SocketClient, address: string): Promise<Client> {
  await owner.turn("1 tokens, one every 0 ms")
  const other = await SocketClient.open(address)
  await other.join(owner.conversation)
  owner.close()
  return other
}

async function stream(visitors: readonly Client[], { isQuick }: PartContext) {
  const tokens = isQuick ? 20 : TOKENS
  const turns = await Promise.all(
    visitors.map(async (visitor, at) => {
      await pause((at * 1000) / visitors.length)
      return visitor.turn(`${tokens} tokens, one every ${EVERY_MS} ms`)
    }),
  )
  for (const visitor of visitors) visitor.close()
  const arrived = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  return { tokens: tokens * visitors.length, arrived, delays: turns.flatMap(({ delays }) => delays) }
}
