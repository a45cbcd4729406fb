// Loaded into a measured process with --import: on SIGUSR2 it writes the delay of the event loop since the last time to a file in the
// folder that BENCH_LOOP_DELAY names.
import { writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

const resolution = 5
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
process.on("SIGUSR2", () => {
  const p99 = Math.max(0, delay.percentile(99) / 1e6 - resolution)
  delay.reset()
  writeFileSync(`${process.env["BENCH_LOOP_DELAY"]}/${process.pid}`, String(p99))
})
