// Which blocks of the program have run, counted by V8 in this process: the guide of the fuzzer. Modules must be loaded after
// `start`, else V8 counts whole functions of them only.
import { Session, type Profiler } from "node:inspector"
import { ScriptPlaces } from "./script-places.ts"

/** A function, a branch of it, or what follows one: V8 reports ranges of the source that run equally often. */
interface Block {
  readonly start: number
  readonly end: number
  /** Number of the last call of `take` before which it ran; 0 if it never did. */
  lastRun: number
}

export type RunBlock = Pick<Block, "lastRun">

/** Blocks of one function, by their place. */
type FunctionBlocks = Map<string, Block>

export interface Covered {
  readonly covered: number
  /** Blocks of functions that never ran are not known to V8: such a function counts as one. */
  readonly total: number
}

export class Coverage {
  readonly #session = new Session()
  readonly #places = new ScriptPlaces()
  readonly #functions = new Map<string, FunctionBlocks>()
  #modules: readonly string[] = []
  #takes = 0

  static start(): Coverage {
    const coverage = new Coverage()
    coverage.#session.connect()
    coverage.#session.post("Profiler.enable")
    coverage.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
    return coverage
  }

  /** Parts of paths below `src/`: only these count. */
  guideBy(modules: readonly string[]): void {
    this.#modules = modules
    this.#functions.clear()
  }

  /** What has run since the last call. Returns the blocks that ran for the first time. */
  take(): readonly RunBlock[] {
    const fresh: Block[] = []
    this.#takes += 1
    this.#session.post("Profiler.takePreciseCoverage", (fault, { result }) => {
      if (fault !== null) throw fault
      for (const script of result) this.#takeScript(script, fresh)
    })
    return fresh
  }

  /** Those that ran before the last call of `take`. */
  ranIn(blocks: readonly RunBlock[]): readonly RunBlock[] {
    return blocks.filter(({ lastRun }) => lastRun === this.#takes)
  }

  get covered(): Covered {
    const blocks = [...this.#functions.values()].flatMap((one) => [...one.values()])
    return { covered: blocks.filter(({ lastRun }) => lastRun > 0).length, total: blocks.length }
  }

  collectGarbage(): void {
    this.#session.post("HeapProfiler.collectGarbage")
  }

  #takeScript({ url, functions }: Profiler.ScriptCoverage, fresh: Block[]): void {
    if (!this.#places.isOwn(url)) return
    for (const { ranges, functionName } of functions) {
      const [whole] = ranges
      if (whole === undefined || (functionName === "" && whole.startOffset === 0)) continue // the module itself
      const module = this.#places.moduleAt(url, whole.startOffset)
      if (module === undefined || !this.#modules.some((part) => module.includes(part))) continue
      this.#takeFunction(`${url}:${whole.startOffset}`, ranges, fresh)
    }
  }

  #takeFunction(key: string, ranges: readonly Profiler.CoverageRange[], fresh: Block[]): void {
    const blocks: FunctionBlocks = this.#functions.get(key) ?? new Map()
    this.#functions.set(key, blocks)
    for (const { startOffset: start, endOffset: end, count } of ranges) {
      const place = `${start}-${end}`
      if (blocks.has(place)) continue
      // a part of a block that has run is news only to V8, which reports equal counts as one block
      const lastRun = count > 0 ? (innermost(blocks.values(), start, end)?.lastRun ?? 0) : 0
      blocks.set(place, { start, end, lastRun })
    }
    for (const block of blocks.values()) {
      // a block that is not reported ran as often as the one around it
      const around = ranges.findLast(
        ({ startOffset, endOffset }) => startOffset <= block.start && endOffset >= block.end,
      )
      if (around === undefined || around.count === 0) continue
      if (block.lastRun === 0) fresh.push(block)
      block.lastRun = this.#takes
    }
  }
}

function innermost(blocks: Iterable<Block>, start: number, end: number): Block | undefined {
  let found: Block | undefined
  for (const block of blocks) {
    if (block.start > start || block.end < end) continue
    if (found === undefined || block.end - block.start < found.end - found.start) found = block
  }
  return found
}
