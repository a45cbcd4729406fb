// Whether other programs kept the processor busy: the same work is timed before and after every load, when nothing of ours runs.
import { createHash } from "node:crypto"
import { loadavg } from "node:os"

const MEGABYTES = 24
const SAMPLES = 5
/** A sample may take this much longer than its processor time, and than the fastest one of the run. */
const QUIET = 1.3

interface Sample {
  readonly wallMs: number
  readonly cpuMs: number
}

export class Noise {
  readonly #samples: Sample[] = []
  readonly #begun = loadavg()[0] ?? 0

  measure(): void {
    const block = Buffer.alloc(1024 * 1024, 7)
    for (let count = 0; count < SAMPLES; count++) this.#samples.push(sampleOf(block))
  }

  /** How many times as long a sample took as it should have, at worst: of all measurements, or of the newest ones. */
  slowdown(measurements = Infinity): number {
    const fastest = Math.min(...this.#samples.map(({ wallMs }) => wallMs))
    const newest = this.#samples.slice(-SAMPLES * measurements)
    return Math.max(...newest.map(({ wallMs, cpuMs }) => wallMs / Math.min(cpuMs, fastest)))
  }

  /** The measurements before and after the newest load. */
  get isQuiet(): boolean {
    return this.slowdown(2) <= QUIET
  }

  get sentence(): string {
    const times = `Between the loads the same work took up to ${this.slowdown().toFixed(2)} times as long as on an idle core`
    const load = `load average ${this.#begun.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`
    return this.slowdown() <= QUIET
      ? `The machine was quiet. ${times}; ${load}.`
      : `The machine was too noisy for the loads marked with ~: their times are too high, and ratios are uncertain. ${times}; ${load}.`
  }
}

function sampleOf(block: Buffer): Sample {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  const hash = createHash("sha256")
  for (let n = 0; n < MEGABYTES; n++) hash.update(block)
  hash.digest()
  const { user, system } = process.cpuUsage(before)
  return { wallMs: performance.now() - begun, cpuMs: (user + system) / 1000 }
}
