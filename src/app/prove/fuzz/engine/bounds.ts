// What inputs may cost this process: memory, descriptors, and time for which its event loop stands still.
import { readdirSync } from "node:fs"
import { Finding } from "../fuzz-target.ts"

/** Measured in processor time of the thread: a busy machine does not count. */
const MAX_STALL_MS = 3000
/** After a collection. */
const MAX_HEAP_BYTES = 1024 ** 3
/** Then the heap is collected, and a world that needs so much is replaced. */
const LARGE_HEAP_BYTES = 384 * 1024 ** 2
/** More than in the first world. */
const MAX_MORE_DESCRIPTORS = 64
/** What is left of worlds that are closed. */
const MAX_LEFT_BYTES = 256 * 1024 ** 2
const TICK_MS = 10

export class Bounds {
  stallMs = 0
  heapBytes = 0
  descriptors = 0
  readonly #collect: () => void
  #firstDescriptors: number | undefined
  #firstLeft: number | undefined
  #ticker: NodeJS.Timeout | undefined
  #cpu = 0

  constructor(collect: () => void) {
    this.#collect = collect
  }

  start(): void {
    this.#cpu = cpuMs()
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS)
  }

  stop(): void {
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }

  /** After a batch. Returns whether the world has become large. */
  check(): boolean {
    if (this.stallMs > MAX_STALL_MS)
      throw new Finding("event loop", `it stood still for ${Math.round(this.stallMs)} ms of processor time`)
    this.#checkDescriptors()
    if (heapBytes() < LARGE_HEAP_BYTES) return false
    this.#collect()
    const bytes = heapBytes()
    if (bytes > MAX_HEAP_BYTES) throw new Finding("memory", `${megabytes(bytes)} MB are in use after a collection`)
    return bytes >= LARGE_HEAP_BYTES
  }

  /** When a world was closed and nothing of it should be left. */
  checkLeft(): void {
    this.#collect()
    const left = heapBytes()
    this.#firstLeft ??= left
    if (left - this.#firstLeft > MAX_LEFT_BYTES)
      throw new Finding("memory", `${megabytes(left - this.#firstLeft)} MB are left of hosts that are closed`)
  }

  #tick(): void {
    const now = cpuMs()
    this.stallMs = Math.max(this.stallMs, now - this.#cpu)
    this.#cpu = now
    this.heapBytes = Math.max(this.heapBytes, heapBytes())
  }

  #checkDescriptors(): void {
    const count = openDescriptors("self")
    if (count === undefined) return
    this.descriptors = Math.max(this.descriptors, count)
    this.#firstDescriptors ??= count
    if (count - this.#firstDescriptors > MAX_MORE_DESCRIPTORS)
      throw new Finding("descriptors", `${count} are open, at first ${this.#firstDescriptors}`)
  }
}

/** Undefined where the system does not tell. */
export function openDescriptors(pid: number | "self"): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return undefined
  }
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2)
}

function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Processor time of this thread. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
