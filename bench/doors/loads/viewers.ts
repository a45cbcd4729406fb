// One session with many viewers, which are another process and not counted: native API and session socket.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { kinds, warmUp, type Door, type Kind } from "../contender.ts"
import type { LoadContext } from "./load.ts"

const EVERY_MS = 50
const TOKENS = 40
const watched: readonly Door[] = ["house", "ipc"]
const program = fileURLToPath(new URL("../viewers-process.ts", import.meta.url))

export const viewers = {
  title: "Viewers of one session",
  async run(context: LoadContext): Promise<void> {
    for (const door of watched)
      for (const count of context.isQuick ? [2] : [1, 100, 1000]) {
        for (const kind of kinds) await watch(context, door, kind, count)
        const { report } = context
        report.row("viewers", door, `${count} viewers, p99 of the delay`, "ms")
        const bound = count === 1000 ? ({ of: "ratio", atMost: 2 } as const) : undefined
        report.row("viewers", door, `${count} viewers, CPU of 1,000 deltas to one`, "ms", bound)
        report.row("viewers", door, `${count} viewers, not sent as deltas`, "%")
        report.row("viewers", door, `${count} viewers, RSS`, "MiB")
      }
  },
}

async function watch(
  { world, report, isQuick, progress }: LoadContext,
  door: Door,
  kind: Kind,
  count: number,
): Promise<void> {
  progress(`${door}: ${count} viewers, ${kind}`)
  const contender = await world.start(door, kind)
  await warmUp(contender)
  const session = await contender.connect()
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const tokens = isQuick ? 5 : TOKENS
  child.stdin.write(`${JSON.stringify({ door, count, tokens, ...session.where })}\n`)
  await lines.next() // all are connected
  await session.turn("1 tokens, one every 0 ms")
  const cpuBefore = contender.process.cpuMs
  await session.turn(`${tokens} tokens, one every ${EVERY_MS} ms`)
  const cpuMs = contender.process.cpuMs - cpuBefore
  const memory = contender.process.memoryMiB
  const { value } = await lines.next()
  const [p99 = Number.NaN, missing = Number.NaN] = String(value).split(" ").map(Number)
  child.stdin.end()
  const add = (figure: string, amount: number) => report.add(door, `${count} viewers, ${figure}`, kind, amount)
  add("p99 of the delay", p99)
  add("not sent as deltas", 100 * missing)
  add("CPU of 1,000 deltas to one", (cpuMs / tokens / count) * 1000)
  add("RSS", memory)
  session.close()
  await contender.stop()
}
