// The event log beside bare SQLite on the same disk: durable appends of one session and of many, and the event loop meanwhile.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { LoadContext } from "./load.ts"

const ROUNDS = 3
const SECONDS = 0.7
const program = fileURLToPath(new URL("../log-process.ts", import.meta.url))
const execute = promisify(execFile)

interface Printed {
  readonly rate?: number
  readonly delayMs?: number
  readonly openMs?: number
  readonly growthMiB?: number
}

export const log = {
  title: "The event log",
  async run({ world, report, isLong, isQuick, progress }: LoadContext): Promise<void> {
    const env = world.env(world.newHome())
    const part = async (mode: string, count: number): Promise<Printed> => {
      const args = [program, mode, world.path("tmp"), String(count), String(isQuick ? 0.1 : SECONDS)]
      const { stdout } = await execute(process.execPath, args, { env })
      return JSON.parse(stdout)
    }
    for (let round = 1; round <= (isQuick ? 1 : ROUNDS); round++)
      for (const count of sizes) {
        progress(`${count} sessions, round ${round} of ${ROUNDS}`)
        report.add("-", appends(count), "bare", (await part("bare", count)).rate ?? Number.NaN)
        const { rate = Number.NaN, delayMs = Number.NaN } = await part("append", count)
        report.add("-", appends(count), "ours", rate)
        report.add("-", loopDelay(count), "ours", delayMs)
      }
    for (const count of sizes) {
      report.row("log", "-", appends(count), "appends/s", count === 100 ? { of: "alone", atLeast: 15_000 } : undefined)
      report.row("log", "-", loopDelay(count), "ms", count === 100 ? { of: "alone", atMost: 20 } : undefined)
    }
    if (!isLong) return
    progress("100,000 events")
    await part("fill", 1)
    const { openMs = Number.NaN, growthMiB = Number.NaN } = await part("open", 1)
    report.add("-", "open 100,000 events from a snapshot", "ours", openMs)
    report.add("-", "growth of the process by that", "ours", growthMiB)
    report.row("log", "-", "open 100,000 events from a snapshot", "ms", { of: "alone", atMost: 50 })
    report.row("log", "-", "growth of the process by that", "MiB", { of: "alone", atMost: 20 })
  },
}

/** Sessions that append at the same time; as many rows has each commit of the bare database. */
const sizes = [1, 10, 100]

function appends(count: number): string {
  return `durable appends of ${count} sessions`
}

function loopDelay(count: number): string {
  return `event loop with ${count}, p99`
}
