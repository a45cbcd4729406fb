// What is measured of every contender, with the same prompts and in the same run.
import { clockMs } from "../doors/clock.ts"
import type { Report } from "../doors/report.ts"
import type { World } from "../doors/world.ts"
import type { Peer, RunningPeer } from "./peer.ts"

const SHORT = "3 tokens, one every 2 ms"

export interface Sizes {
  readonly turns: number
  readonly burst: number
  readonly alone: number
  readonly calls: number
}

export const figures = {
  firstAnswer: "spawn to the first answered request, ms",
  firstDelta: "spawn to the first delta, ms",
  added: "added to the first delta, ms",
  there: "prompt to request, ms",
  back: "delta to client, ms",
  end: "last delta to the end, ms",
  rate: "deltas/s in a burst",
  missing: "of a burst not sent as deltas, %",
  burstCpu: "CPU of 1,000 deltas in a burst, ms",
  aloneCpu: "CPU of 1,000 deltas alone, ms",
  read: "round of read, ms",
  bash: "round of bash true, ms",
  idle: "RSS when idle, MiB",
  worked: "RSS after all turns, MiB",
} as const

type Figure = keyof typeof figures

/** A process of its own, which ends again. */
export async function measureStart(world: World, peer: Peer, report: Report | undefined): Promise<void> {
  const begun = clockMs()
  const running = await peer.start(world)
  const client = await running.connect()
  await client.ask()
  const answeredAt = clockMs()
  const add = (figure: Figure, value: number) => report?.add(peer.name, figures[figure], "ours", value)
  add("firstAnswer", answeredAt - begun)
  add("idle", running.process.memoryMiB)
  add("firstDelta", (await client.turn(SHORT)).firstAt - begun)
  client.close()
  await running.stop()
}

/** A round of a warm process; without a report it warms up. */
export async function measureRound(
  peer: Peer,
  running: RunningPeer,
  sizes: Sizes,
  report: Report | undefined,
): Promise<void> {
  const add = (figure: Figure, value: number) => report?.add(peer.name, figures[figure], "ours", value)
  const client = await running.connect()
  await client.ask()
  for (let turn = 0; turn < sizes.turns; turn++) {
    const { requestedAt, sentAt, firstAt, firstWrittenAt, endAt, lastWrittenAt } = await client.turn(SHORT)
    add("there", requestedAt - sentAt)
    add("back", firstAt - firstWrittenAt)
    add("added", requestedAt - sentAt + firstAt - firstWrittenAt)
    add("end", endAt - lastWrittenAt)
  }
  client.close()
  const burst = await streamed(running, sizes.burst, "20 at a time")
  add("rate", burst.rate)
  add("burstCpu", burst.cpuMs)
  add("missing", burst.missing)
  add("aloneCpu", (await streamed(running, sizes.alone, "one every 2 ms")).cpuMs)
  if (peer.tools.read !== undefined) add("read", await roundMs(running, peer.tools.read, sizes.calls))
  add("bash", await roundMs(running, peer.tools.bash, sizes.calls))
}

async function streamed(
  running: RunningPeer,
  tokens: number,
  pace: string,
): Promise<{ rate: number; cpuMs: number; missing: number }> {
  const client = await running.connect()
  const cpuBefore = running.process.cpuMs
  const turn = await client.turn(`${tokens} tokens, ${pace}`)
  const cpuMs = ((running.process.cpuMs - cpuBefore) / tokens) * 1000
  client.close()
  const rate = (turn.tokens / (turn.endAt - turn.firstWrittenAt)) * 1000
  return { rate, cpuMs, missing: 100 * (1 - turn.tokens / tokens) }
}

async function roundMs(running: RunningPeer, call: string, calls: number): Promise<number> {
  const client = await running.connect()
  const { sentAt, endAt } = await client.turn(`${calls} calls of ${call}, then ${SHORT}`)
  client.close()
  return (endAt - sentAt) / calls
}
