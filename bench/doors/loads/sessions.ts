// Many sessions of `serve` at once: streams of 20 tokens a second, and short turns one after the other.
import { quantile } from "../../quantile.ts"
import type { Client } from "../clients/client.ts"
import { pause } from "../clock.ts"
import { kinds, warmUp, type Contender } from "../contender.ts"
import { loopDelayEnv, loopDelayMs } from "../event-loop.ts"
import type { TurnTimes } from "../turn-times.ts"
import type { LoadContext } from "./load.ts"

const EVERY_MS = 50
const SECONDS = 3
/** Not counted: the first second, in which the streams begin. */
const UNCOUNTED = 1000 / EVERY_MS
const CONNECTING = 50
const TALKERS = 50
const TURNS = 6

export const sessions = {
  title: "Many sessions of one server",
  async run(context: LoadContext): Promise<void> {
    for (const count of context.isQuick ? [2] : [10, 100, 1000]) await streams(context, count)
    await shortTurns(context)
  },
}

async function streams(context: LoadContext, count: number): Promise<void> {
  const { world, report, progress } = context
  for (const kind of kinds) {
    progress(`${count} streams, ${kind}`)
    const contender = await world.start("ws", kind, { env: loopDelayEnv(world) })
    const clients = await conversations(contender, count)
    await warmUp(contender)
    await Promise.all(clients.map((client) => client.turn("1 tokens, one every 0 ms")))
    await loopDelayMs(world, contender)
    const cpuBefore = contender.process.cpuMs
    const length = (SECONDS * 1000) / EVERY_MS + UNCOUNTED
    const streamed = await Promise.all(clients.map((client, at) => laterStream(client, (at * 1000) / count, length)))
    const delays = streamed.flatMap((turn) => turn.delays.slice(UNCOUNTED))
    const arrived = streamed.reduce((sum, { tokens }) => sum + tokens, 0)
    const cpuMs = contender.process.cpuMs - cpuBefore
    const name = `${count} x 20/s`
    const add = (figure: string, value: number) => report.add("ws", `${name}, ${figure}`, kind, value)
    add("p99 of the delay", quantile(delays, 0.99))
    add("median of the delay", quantile(delays, 0.5))
    add("CPU of 1,000 deltas", (cpuMs / (count * length)) * 1000)
    add("event loop, p99", await loopDelayMs(world, contender))
    add("not sent as deltas", 100 * (1 - arrived / (count * length)))
    add("RSS", contender.process.memoryMiB)
    for (const client of clients) client.close()
    await contender.stop()
  }
  const row = (figure: string, unit: string) => report.row("sessions", "ws", `${count} x 20/s, ${figure}`, unit)
  row("median of the delay", "ms")
  const bound = count >= 1000 ? ({ of: "more", atMost: 50, bareAtMost: 500 } as const) : undefined
  report.row("sessions", "ws", `${count} x 20/s, p99 of the delay`, "ms", bound)
  row("CPU of 1,000 deltas", "ms")
  row("event loop, p99", "ms")
  row("not sent as deltas", "%")
  row("RSS", "MiB")
}

async function laterStream(client: Client, afterMs: number, tokens: number): Promise<TurnTimes> {
  await pause(afterMs)
  return client.turn(`${tokens} tokens, one every ${EVERY_MS} ms`)
}

/** Each stores its prompts and answers while the others do: the commits of all share their syncs. */
async function shortTurns({ world, report, isQuick, progress }: LoadContext): Promise<void> {
  const count = isQuick ? 2 : TALKERS
  for (const kind of kinds) {
    progress(`short turns of ${count} conversations, ${kind}`)
    const contender = await world.start("ws", kind, { env: loopDelayEnv(world) })
    const clients = await conversations(contender, count)
    await warmUp(contender)
    await Promise.all(clients.map((client) => turns(client, 1)))
    await loopDelayMs(world, contender)
    const begun = performance.now()
    const times = await Promise.all(clients.map((client) => turns(client, TURNS)))
    const seconds = (performance.now() - begun) / 1000
    report.add("ws", "turns a second", kind, (count * TURNS) / seconds)
    report.add("ws", "prompt to its acknowledgement, p99", kind, quantile(times.flat(), 0.99))
    report.add("ws", "event loop, p99", kind, await loopDelayMs(world, contender))
    for (const client of clients) client.close()
    await contender.stop()
  }
  report.row("sessions", "ws", "turns a second", "turns/s")
  report.row("sessions", "ws", "prompt to its acknowledgement, p99", "ms")
  report.row("sessions", "ws", "event loop, p99", "ms")
}

async function turns(client: Client, count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let done = 0; done < count; done++) {
    const { acceptedAt, sentAt } = await client.turn("3 tokens, one every 2 ms")
    times.push(acceptedAt - sentAt)
  }
  return times
}

export async function conversations(contender: Contender, count: number): Promise<readonly Client[]> {
  const clients: Client[] = []
  while (clients.length < count) {
    const more = Array.from({ length: Math.min(CONNECTING, count - clients.length) }, () => contender.connect())
    const connected = await Promise.all(more)
    await Promise.all(connected.map((client) => client.ask()))
    clients.push(...connected)
  }
  return clients
}
