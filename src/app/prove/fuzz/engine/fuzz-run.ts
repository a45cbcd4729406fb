// Feeds one target: makes batches of inputs, runs them, checks the target and the bounds of the process, and keeps what reached
// new code. A world is one opening of the target; it is replaced from time to time.
import { setImmediate as nextTurn } from "node:timers/promises"
import { seeded } from "../../seeded.ts"
import { Finding, type FuzzTarget, type OpenTarget, type TargetPlace } from "../fuzz-target.ts"
import { Bounds, cpuMs } from "./bounds.ts"
import type { Coverage, Covered, RunBlock } from "./coverage.ts"
import { KnownInputs } from "./known-inputs.ts"
import { minimised } from "./minimise.ts"
import { Mutator } from "./mutator.ts"

export interface FuzzRunOptions {
  readonly open: OpenTarget
  readonly place: TargetPlace
  readonly coverage: Coverage
  readonly seed: number
  /** How many inputs are made. */
  readonly frames: number
  /** Further inputs to begin with. */
  readonly corpus: readonly Uint8Array[]
  /** Called before a batch runs. */
  readonly onBatch: (inputs: readonly Uint8Array[]) => void
  /** Called after it; the next one waits. */
  readonly onRun: (inputs: readonly Uint8Array[]) => Promise<void>
}

export interface Figures extends Covered {
  readonly frames: number
  readonly wellFormed: number
  readonly found: number
  readonly stallMs: number
  readonly heapBytes: number
  readonly descriptors: number
}

export interface Found {
  readonly event: string
  readonly what: string
  readonly inputs: readonly Uint8Array[]
  /** Whether these inputs show it again, in a new world. */
  readonly isRepeatable: boolean
}

const SMALLEST_BATCH = 64
const LARGEST_BATCH = 2048
/** Batches that reached nothing new before they become twice as large. */
const QUIET_BATCHES = 4
/** Inputs that may be handled in one turn of the event loop, as if they came in one read. */
const TURN_EVERY = 32
const WORLD_FRAMES = 20_000
const MINIMISE_MS = 20_000

export class FuzzRun {
  readonly #options: FuzzRunOptions
  readonly #bounds: Bounds
  readonly #below: (below: number) => number
  readonly #fault = Promise.withResolvers<never>()
  #known = new KnownInputs([], () => 0)
  #frames = 0
  #wellFormed = 0
  #quiet = 0
  #worldFrames = 0
  #ran: Uint8Array[] = []

  constructor(options: FuzzRunOptions) {
    this.#options = options
    this.#bounds = new Bounds(() => options.coverage.collectGarbage())
    this.#below = seeded(options.seed)
    this.#fault.promise.catch(() => {}) // it is raced with each batch
  }

  get figures(): Figures {
    const { stallMs, heapBytes, descriptors } = this.#bounds
    const counts = { frames: this.#frames, wellFormed: this.#wellFormed, found: this.#known.found.length }
    return { ...counts, ...this.#options.coverage.covered, stallMs, heapBytes, descriptors }
  }

  /** Of the inputs that reached new code, in a new world, the shortest that together reach all that they reach. */
  async reduced(): Promise<readonly Uint8Array[]> {
    const { coverage, corpus, open, place } = this.#options
    const target = await open(place)
    coverage.guideBy(target.modules)
    await this.#feed(target, [...target.seeds, ...corpus])
    coverage.take()
    const needed: Uint8Array[] = []
    for (const input of this.#known.found.toSorted((one, other) => one.length - other.length)) {
      await this.#feed(target, [input])
      if (coverage.take().length > 0) needed.push(input)
    }
    await target.close?.()
    return needed
  }

  /** Called with an error that nothing has caught. */
  fail(fault: unknown): void {
    this.#fault.reject(new Finding("uncaught", `nothing catches: ${textOf(fault)}`))
  }

  /** Undefined if every promise held. */
  async run(): Promise<Found | undefined> {
    const target = await this.#open()
    try {
      await this.#feedUntilDone(target)
      return undefined
    } catch (fault) {
      return await this.#describe(fault)
    } finally {
      this.#bounds.stop()
    }
  }

  async #feedUntilDone(opened: FuzzTarget): Promise<void> {
    let target = opened
    const { seeds, words, modules } = target
    const first = [...seeds, ...this.#options.corpus]
    this.#options.coverage.guideBy(modules)
    this.#known = new KnownInputs(first, this.#below)
    const mutator = new Mutator({ below: this.#below, words, other: () => this.#known.any() })
    await this.#runBatch(target, first, true)
    for (const input of first) await this.#noteCost(target, input)
    while (this.#frames < this.#options.frames) {
      const size = Math.min(this.#options.frames - this.#frames, this.#batchSize)
      const inputs = Array.from({ length: size }, () => mutator.mutate(this.#known.any()))
      const isLarge = await this.#runBatch(target, inputs)
      if (isLarge || this.#worldFrames >= WORLD_FRAMES) target = await this.#renew(target)
    }
    await target.close?.()
  }

  get #batchSize(): number {
    return Math.min(LARGEST_BATCH, SMALLEST_BATCH * 2 ** Math.floor(this.#quiet / QUIET_BATCHES))
  }

  async #open(): Promise<FuzzTarget> {
    const target = await this.#options.open(this.#options.place)
    this.#worldFrames = 0
    this.#ran = []
    this.#bounds.start()
    return target
  }

  async #renew(target: FuzzTarget): Promise<FuzzTarget> {
    await target.close?.()
    this.#bounds.checkLeft()
    return this.#open()
  }

  /** Returns whether the world has become large. */
  async #runBatch(target: FuzzTarget, inputs: readonly Uint8Array[], areKnown = false): Promise<boolean> {
    const { coverage, onBatch, onRun } = this.#options
    onBatch(inputs)
    this.#wellFormed += await this.#feed(target, inputs)
    this.#frames += inputs.length
    this.#worldFrames += inputs.length
    const fresh = coverage.take()
    this.#quiet = fresh.length > 0 ? 0 : this.#quiet + 1
    if (fresh.length > 0 && !areKnown) await this.#keep(target, inputs, fresh)
    await onRun(inputs)
    return this.#bounds.check()
  }

  /** Returns how many were well-formed. */
  #feed(target: FuzzTarget, inputs: readonly Uint8Array[]): Promise<number> {
    this.#ran = []
    return Promise.race([this.#feedAll(target, inputs), this.#fault.promise])
  }

  async #feedAll(target: FuzzTarget, inputs: readonly Uint8Array[]): Promise<number> {
    let wellFormed = 0
    for (const input of inputs) {
      this.#ran.push(input)
      if (await target.run(input)) wellFormed += 1
      if (this.#ran.length % TURN_EVERY === 0) await nextTurn()
    }
    await target.check?.()
    await nextTurn() // an error that nothing catches is reported by then
    return wellFormed
  }

  /** Finds the inputs that reach the new blocks, by running halves again. */
  async #keep(target: FuzzTarget, inputs: readonly Uint8Array[], blocks: readonly RunBlock[]): Promise<void> {
    const { coverage } = this.#options
    const [single] = inputs
    if (inputs.length === 1 && single !== undefined) {
      this.#known.add(single)
      return this.#noteCost(target, single)
    }
    const middle = Math.ceil(inputs.length / 2)
    let missing = blocks
    for (const half of [inputs.slice(0, middle), inputs.slice(middle)]) {
      if (missing.length === 0) return
      await this.#feed(target, half)
      coverage.take()
      const reached = coverage.ranIn(missing)
      missing = missing.filter((block) => !reached.includes(block))
      if (reached.length > 0) await this.#keep(target, half, reached)
    }
  }

  async #noteCost(target: FuzzTarget, input: Uint8Array): Promise<void> {
    const startedAt = cpuMs()
    await this.#feed(target, [input])
    this.#known.note(input, cpuMs() - startedAt)
  }

  async #describe(fault: unknown): Promise<Found> {
    this.#bounds.stop()
    const event = fault instanceof Finding ? fault.event : "uncaught"
    const what = fault instanceof Finding ? fault.message : `an input was not handled: ${textOf(fault)}`
    const ran = this.#ran
    const shows = (inputs: readonly Uint8Array[]) => this.#shows(event, inputs)
    const few = await minimised(ran, { shows, deadline: performance.now() + MINIMISE_MS })
    return { event, what, inputs: few ?? ran, isRepeatable: few !== undefined }
  }

  async #shows(event: string, inputs: readonly Uint8Array[]): Promise<boolean> {
    const again = new FuzzRun({ ...this.#options, corpus: [], frames: 0 })
    const target = await this.#options.open(this.#options.place)
    const uncaught = (fault: unknown) => again.fail(fault)
    process.on("unhandledRejection", uncaught).on("uncaughtException", uncaught)
    try {
      again.#bounds.start()
      await again.#feed(target, inputs)
      again.#bounds.check()
      return false
    } catch (fault) {
      return event === (fault instanceof Finding ? fault.event : "uncaught")
    } finally {
      process.off("unhandledRejection", uncaught).off("uncaughtException", uncaught)
      again.#bounds.stop()
      await target.close?.()
    }
  }
}

function textOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
}
