// The same streams on one node and on three: processor time of the nodes for each token, and that of the servers beside it.
import type { Client } from "../doors/clients/client.ts"
import { SocketClient } from "../doors/clients/socket-client.ts"
import { pause } from "../doors/clock.ts"
import type { Contender } from "../doors/contender.ts"
import { quantile } from "../quantile.ts"
import { startNodes } from "./cluster-nodes.ts"
import type { Part, PartContext } from "./part.ts"
import { cpuOfServers } from "./servers.ts"

const SESSIONS = 100
const EVERY_MS = 50
const TOKENS = 100
const ROUNDS = 2
/** Until V8 has compiled what a stream runs, which each process does for itself. */
const WARM_TOKENS = 160
const WARM_EVERY_MS = 25

/** `elsewhere`: one visitor of this many is at another node than that of its session. */
interface Setup {
  readonly name: string
  readonly nodes: readonly string[]
  readonly elsewhere: number
}

const one: Setup = { name: "one node", nodes: ["one"], elsewhere: Infinity }
const three: readonly Setup[] = [
  { name: "three nodes, all visitors at the node of their session", nodes: ["a", "b", "c"], elsewhere: Infinity },
  { name: "three nodes, a third of the visitors at another one", nodes: ["a", "b", "c"], elsewhere: 3 },
]

const figures = [
  ["nodes", "CPU of nodes, 1,000 tokens", "ms"],
  ["postgres", "CPU of PostgreSQL, 1,000 tokens", "ms"],
  ["nats", "CPU of NATS, 1,000 tokens", "ms"],
  ["median", "median of the delay", "ms"],
  ["p99", "p99 of the delay", "ms"],
] as const

type Figures = Record<(typeof figures)[number][0], number>

export const nodes: Part = {
  title: "The same streams on one node and on three",
  legend: `${SESSIONS} streams of ${1000 / EVERY_MS} tokens/s. Ours: three nodes (first with all visitors at the node of their session, then a third of them at another one); then one node with SQLite. Bare: one node with the same servers.`,
  async run(context: PartContext): Promise<void> {
    const { report, isQuick } = context
    for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
      const bare = await inCluster(context, one)
      const single = round === 0 ? [{ door: sqliteDoor, ours: await withSqlite(context) }] : []
      const spread = []
      for (const setup of three) spread.push({ door: doorOf(setup), ours: await inCluster(context, setup) })
      for (const { door, ours } of [...spread, ...single])
        for (const [key, figure] of figures) {
          report.add(door, figure, "ours", ours[key])
          report.add(door, figure, "bare", bare[key])
        }
    }
    for (const setup of three)
      for (const [key, figure, unit] of figures)
        report.row("nodes", doorOf(setup), figure, unit, key === "nodes" ? { of: "ratio", atMost: 1.3 } : undefined)
    report.row("nodes", sqliteDoor, "CPU of nodes, 1,000 tokens", "ms")
  },
}

const sqliteDoor = "SQLite"

function doorOf({ elsewhere }: Setup): string {
  return elsewhere === Infinity ? "own node" : "a third away"
}

async function withSqlite(context: PartContext): Promise<Figures> {
  const { world, progress } = context
  progress("one node with SQLite")
  const contender = await world.start("ws", "ours")
  return measure(context, [contender], Infinity)
}

async function inCluster(context: PartContext, setup: Setup): Promise<Figures> {
  const { world, servers, progress } = context
  progress(setup.name)
  const started = await startNodes(world, servers, setup.nodes, servers.postgres.createDatabase())
  return measure(
    context,
    started.map(({ contender }) => contender),
    setup.elsewhere,
  )
}

async function measure(context: PartContext, contenders: readonly Contender[], elsewhere: number): Promise<Figures> {
  const { servers, isQuick } = context
  const visitors = await visitorsOf(contenders, isQuick ? 6 : SESSIONS, elsewhere)
  await stream(visitors, isQuick ? 5 : WARM_TOKENS, WARM_EVERY_MS)
  const cpu = () => ({
    nodes: contenders.reduce((sum, { process }) => sum + process.cpuMs, 0),
    ...cpuOfServers(servers),
  })
  const before = cpu()
  const { count, delays } = await stream(visitors, isQuick ? 20 : TOKENS, EVERY_MS)
  const after = cpu()
  const perThousand = (key: keyof typeof before) => ((after[key] - before[key]) / count) * 1000
  for (const visitor of visitors) visitor.close()
  await Promise.all(contenders.map((contender) => contender.stop()))
  return {
    nodes: perThousand("nodes"),
    postgres: perThousand("postgres"),
    nats: perThousand("nats"),
    median: quantile(delays, 0.5),
    p99: quantile(delays, 0.99),
  }
}

/** Spread over the nodes evenly, also those that are elsewhere: at the node after that of their session. */
async function visitorsOf(
  contenders: readonly Contender[],
  count: number,
  elsewhere: number,
): Promise<readonly Client[]> {
  const at = (index: number) => contenders[index % contenders.length]?.address ?? ""
  const visitors: Client[] = []
  for (let index = 0; index < count; index++) {
    const owner = await SocketClient.open(at(index))
    await owner.ask()
    const isElsewhere = Math.floor(index / contenders.length) % elsewhere === elsewhere - 1
    visitors.push(isElsewhere ? await moved(owner, at(index + 1)) : owner)
  }
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

/** Fails when tokens were not sent as deltas: the work would not be the same. */
async function stream(visitors: readonly Client[], tokens: number, everyMs: number) {
  const turns = await Promise.all(
    visitors.map(async (visitor, at) => {
      await pause((at * 500) / visitors.length)
      return visitor.turn(`${tokens} tokens, one every ${everyMs} ms`)
    }),
  )
  const count = tokens * visitors.length
  const arrived = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  if (arrived !== count) throw new Error(`${count - arrived} of ${count} tokens were not sent as deltas`)
  return { count, delays: turns.flatMap(({ delays }) => delays) }
}
