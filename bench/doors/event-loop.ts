// The delay of the event loop of a measured process, which loads loop-delay.ts for that.
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pause } from "./clock.ts"
import type { Contender } from "./contender.ts"
import type { World } from "./world.ts"

const WAIT_MS = 10_000

export function loopDelayEnv(world: World): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${new URL("loop-delay.ts", import.meta.url).href}`,
    BENCH_LOOP_DELAY: world.path("tmp"),
  }
}

/** The 99th percentile since the last call, in milliseconds. */
export async function loopDelayMs(world: World, { process: { pid } }: Contender): Promise<number> {
  const path = join(world.path("tmp"), String(pid))
  rmSync(path, { force: true })
  process.kill(pid, "SIGUSR2")
  for (const deadline = Date.now() + WAIT_MS; !existsSync(path) || readFileSync(path, "utf8") === ""; await pause(5))
    if (Date.now() > deadline) throw new Error("the process did not report the delay of its event loop")
  return Number(readFileSync(path, "utf8"))
}
