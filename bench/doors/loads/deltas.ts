// One session that streams: in bursts as fast as the provider writes, and one token at a time.
import { type Contender, doors, kinds, type Door } from "../contender.ts"
import type { Format } from "../world.ts"
import type { LoadContext } from "./load.ts"

const ROUNDS = 4
const BURST = 20_000
/** Tokens in a write of the provider. */
const AT_ONCE = 20
const ALONE = 250

export const deltas = {
  title: "Deltas of one session",
  async run(context: LoadContext): Promise<void> {
    for (const door of doors) await oneSession(context, door, "chat")
    await oneSession(context, "ws", "anthropic")
  },
}

async function oneSession(
  { world, report, isQuick, progress }: LoadContext,
  door: Door,
  format: Format,
): Promise<void> {
  const contenders = {
    bare: await world.start(door, "bare", { format }),
    ours: await world.start(door, "ours", { format }),
  }
  const [rounds, burst, alone] = isQuick ? [1, 200, 20] : [ROUNDS, BURST, ALONE]
  const name = format === "chat" ? door : `${door}, Anthropic`
  for (let round = isQuick ? 1 : 0; round <= rounds; round++) {
    progress(`${name}: round ${round} of ${rounds}`)
    for (const kind of kinds) {
      const fast = await streamed(contenders[kind], burst, `${AT_ONCE} at a time`)
      const slow = await streamed(contenders[kind], alone, "one every 2 ms")
      if (round === 0) continue // warms up
      report.add(name, "burst", kind, fast.rate)
      report.add(name, "CPU of 1,000 deltas in a burst", kind, fast.cpuMs)
      report.add(name, "CPU of 1,000 deltas alone", kind, slow.cpuMs)
      report.add(name, "write calls of 1,000 deltas alone", kind, slow.writes)
      report.add(name, "bytes of a delta on the wire", kind, fast.bytes)
      report.add(name, "RSS after the bursts", kind, contenders[kind].process.memoryMiB)
      report.add(name, "of a burst not sent as deltas", kind, fast.missing)
    }
  }
  await Promise.all(kinds.map((kind) => contenders[kind].stop()))
  report.row("deltas", name, "burst", "deltas/s", { of: "ratio", atLeast: 0.5 })
  report.row("deltas", name, "CPU of 1,000 deltas in a burst", "ms", { of: "ratio", atMost: 1.5 })
  report.row("deltas", name, "CPU of 1,000 deltas alone", "ms", { of: "ratio", atMost: 1.5 })
  report.row("deltas", name, "write calls of 1,000 deltas alone", "calls")
  report.row("deltas", name, "bytes of a delta on the wire", "bytes")
  report.row("deltas", name, "RSS after the bursts", "MiB")
  report.row("deltas", name, "of a burst not sent as deltas", "%")
}

interface Streamed {
  readonly rate: number
  /** Of 1,000 deltas. */
  readonly cpuMs: number
  /** Of 1,000 deltas. */
  readonly writes: number
  readonly bytes: number
  /** In percent: a client that falls behind gets the rest of the text at once, and not as deltas. */
  readonly missing: number
}

/** The time counts from the first write of the provider: what comes before it is the load `turn`. */
async function streamed(contender: Contender, tokens: number, pace: string): Promise<Streamed> {
  const client = await contender.connect()
  await client.ask()
  const [cpuBefore, writesBefore] = [contender.process.cpuMs, contender.process.writeCalls]
  const turn = await client.turn(`${tokens} tokens, ${pace}`)
  const cpuMs = ((contender.process.cpuMs - cpuBefore) / tokens) * 1000
  const writes = ((contender.process.writeCalls - writesBefore) / tokens) * 1000
  client.close()
  const rate = (turn.tokens / (turn.endAt - turn.firstWrittenAt)) * 1000
  return { rate, cpuMs, bytes: turn.characters / turn.tokens, missing: 100 * (1 - turn.tokens / tokens), writes }
}
