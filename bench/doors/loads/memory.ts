// Memory of idle connections and idle sessions, as an operator sees it: growth of the process. With --long also ten minutes of work.
import { median } from "../../quantile.ts"
import { clockMs, pause } from "../clock.ts"
import { kinds, type Contender } from "../contender.ts"
import { conversations } from "./sessions.ts"
import type { LoadContext } from "./load.ts"

const CONNECTIONS = 1000
const SESSIONS = 500
/** The first ones grow the process to its base size, and are not counted. */
const FIRST = 100
const SETTLE_MS = 500
const SOAK_MINUTES = 10
const SOAK_CONVERSATIONS = 20
const SHORT = "3 tokens, one every 0 ms"

export const memory = {
  title: "Memory",
  async run(context: LoadContext): Promise<void> {
    await idleConnections(context)
    await idleSessions(context)
    if (context.isLong) await soak(context)
  },
}

async function idleConnections({ world, report, isQuick, progress }: LoadContext): Promise<void> {
  const count = isQuick ? 20 : CONNECTIONS
  for (const kind of kinds) {
    progress(`${count} idle connections, ${kind}`)
    const contender = await world.start("ws", kind)
    const first = await connections(contender, count)
    const before = await settled(contender, isQuick)
    const counted = await connections(contender, count)
    report.add("ws", "an idle connection", kind, ((await settled(contender, isQuick)) - before) / count)
    for (const client of [...first, ...counted]) client.close()
    await contender.stop()
  }
  report.row("memory", "ws", "an idle connection", "kB", { of: "ratio", atMost: 1.5 })
}

async function connections(contender: Contender, count: number) {
  const clients = []
  while (clients.length < count) clients.push(await contender.connect())
  return clients
}

/** Each has had a turn, and no client any more. */
async function idleSessions({ world, report, isQuick, progress }: LoadContext): Promise<void> {
  const [first, count] = isQuick ? [2, 5] : [FIRST, SESSIONS]
  const contender = await world.start("house", "ours")
  const talk = async (sessions: number) => {
    for (let done = 0; done < sessions; done++) {
      if (done % 50 === 0) progress(`idle sessions: ${done} of ${sessions}`)
      const client = await contender.connect()
      await client.turn(SHORT)
      client.close()
    }
  }
  await talk(first)
  const before = await settled(contender, isQuick)
  await talk(count)
  report.add("house", "an idle session", "ours", ((await settled(contender, isQuick)) - before) / count)
  report.add("house", `RSS with ${first + count} idle sessions`, "ours", contender.process.memoryMiB)
  await contender.stop()
  report.row("memory", "house", "an idle session", "kB", { of: "alone", atMost: 50 })
  report.row("memory", "house", `RSS with ${first + count} idle sessions`, "MiB")
}

async function settled(contender: Contender, isQuick: boolean): Promise<number> {
  if (!isQuick) await pause(SETTLE_MS)
  return contender.process.memoryMiB * 1024
}

/** Conversations of ten turns one after the other: the last fifth of the time beside the second one. */
async function soak({ world, report, progress }: LoadContext): Promise<void> {
  const contender = await world.start("ws", "ours")
  const parts: { readonly turnMs: number[]; readonly memory: number[] }[] = []
  const begun = clockMs()
  const partMs = (SOAK_MINUTES * 60_000) / 5
  while (clockMs() - begun < 5 * partMs) {
    const part = (parts[Math.floor((clockMs() - begun) / partMs)] ??= { turnMs: [], memory: [] })
    progress(`soak: ${Math.round((clockMs() - begun) / 1000)} of ${SOAK_MINUTES * 60} s`)
    const clients = await conversations(contender, SOAK_CONVERSATIONS)
    for (let turn = 0; turn < 10; turn++) {
      const turns = await Promise.all(clients.map((client) => client.turn(SHORT)))
      part.turnMs.push(median(turns.map(({ sentAt, endAt }) => endAt - sentAt)))
    }
    part.memory.push(contender.process.memoryMiB)
    for (const client of clients) client.close()
  }
  await contender.stop()
  const [, early, , , late] = parts
  if (early === undefined || late === undefined) throw new Error("the soak was interrupted")
  addSoakRow(report, "turn", "ms", median(early.turnMs), median(late.turnMs))
  addSoakRow(report, "RSS", "MiB", median(early.memory), median(late.memory))
}

function addSoakRow(report: LoadContext["report"], what: string, unit: string, early: number, late: number): void {
  report.add("ws", `${what}, minutes 2 to 4 of a soak`, "ours", early)
  report.add("ws", `${what}, last 2 minutes`, "ours", late)
  report.row("memory", "ws", `${what}, minutes 2 to 4 of a soak`, unit)
  report.row("memory", "ws", `${what}, last 2 minutes`, unit, {
    of: "alone",
    atMost: Number((early * 1.05).toFixed(2)),
  })
}
