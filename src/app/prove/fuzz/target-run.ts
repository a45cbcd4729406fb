// One target of the proof: the process that feeds it, and real processes that get some of its inputs.
import { existsSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { memberIn, tryParseJson } from "../../../contract/json-object.ts"
import { moduleUrl } from "../../../program/program-files.ts"
import { messageOf } from "../../app-fault.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { HostProcess } from "../host-process.ts"
import { proofHome, reportIn } from "../proof-home.ts"
import type { ProofFolder } from "../run-proof.ts"
import type { Figures, Found } from "./engine/fuzz-run.ts"
import { readable } from "./engine/readable.ts"
import { decodeMessage, type FuzzJob } from "./fuzz-job.ts"
import { Finding, type FuzzTarget } from "./fuzz-target.ts"
import type { TargetEntry } from "./targets.ts"

export interface TargetResult {
  readonly figures: Figures
  /** Inputs that went through real processes. */
  readonly real: number
  readonly seconds: number
}

/** The process says that it lives every second, unless an input keeps it from everything else. */
const MAX_SILENCE_MS = 180_000
const LOOK_MS = 100
/** Inputs of real processes between two checks of them. */
const CHECK_EVERY = 50
const MAX_QUOTE = 300

const workerFile = fileURLToPath(moduleUrl("app/prove/fuzz/fuzz-worker"))
const noFigures: Figures = {
  frames: 0,
  wellFormed: 0,
  found: 0,
  covered: 0,
  total: 0,
  stallMs: 0,
  heapBytes: 0,
  descriptors: 0,
}

export interface TargetRunOptions {
  readonly entry: TargetEntry
  readonly folder: ProofFolder
  readonly frames: number
  readonly seed: number
  readonly onProgress: (frames: number) => void
}

export async function runTarget(options: TargetRunOptions): Promise<TargetResult> {
  const { entry, folder } = options
  const startedAt = performance.now()
  const real = await (await entry.loadReal?.())?.openReal(folder)
  try {
    const run = new TargetRun(options, real)
    await run.end()
    return { figures: run.figures, real: run.real, seconds: (performance.now() - startedAt) / 1000 }
  } finally {
    await real?.close?.()
  }
}

class TargetRun {
  figures: Figures = noFigures
  real = 0
  readonly #options: TargetRunOptions
  readonly #target: FuzzTarget | undefined
  readonly #workspace: Workspace
  readonly #process: HostProcess
  #heardAt = performance.now()
  #hasEnded = false
  #samples: Promise<void> = Promise.resolve()

  constructor(options: TargetRunOptions, real: FuzzTarget | undefined) {
    const { entry, folder, frames, seed } = options
    this.#options = options
    this.#target = real
    this.#workspace = proofHome(folder, entry.name)
    const job: FuzzJob = {
      target: entry.name,
      seed,
      frames,
      folder: this.#workspace.path("folder"),
      samples: real !== undefined,
    }
    this.#process = HostProcess.start(this.#workspace, [JSON.stringify(job)], {
      module: workerFile,
      onLine: (line) => this.#take(line),
    })
  }

  /** Leaves no process behind. */
  async end(): Promise<void> {
    const { signal } = this.#options.folder
    while (this.#process.exit === undefined && !signal.aborted && !this.#isSilent) await this.#look()
    const { exit } = this.#process
    if (exit === undefined && !signal.aborted) this.#report("event loop", this.#unfinished("nothing was heard of it"))
    this.#process.signal("SIGKILL")
    await this.#process.exited
    await this.#samples
    if (exit !== undefined && !this.#hasEnded && !signal.aborted)
      this.#report("process", this.#unfinished(`it has ended with ${exit.code ?? exit.signal}`))
    await this.#workspace.close(true)
  }

  get #isSilent(): boolean {
    return performance.now() - this.#heardAt > MAX_SILENCE_MS
  }

  async #look(): Promise<void> {
    const looked = new AbortController()
    await Promise.race([sleep(LOOK_MS, undefined, { signal: looked.signal }).catch(ignored), this.#process.exited])
    looked.abort()
  }

  #take(line: string): void {
    const message = decodeMessage(tryParseJson(line))
    this.#heardAt = performance.now()
    switch (message?.kind) {
      case "progress":
      case "end":
        this.figures = message.figures
        this.#hasEnded ||= message.kind === "end"
        return this.#options.onProgress(message.figures.frames)
      case "samples":
        this.#samples = this.#samples.then(() => this.#runSamples(message.inputs))
        return
      case "found":
        return this.#found(message.found)
      case undefined:
    }
  }

  async #runSamples(inputs: readonly Uint8Array[]): Promise<void> {
    for (const input of inputs) {
      if (this.#target === undefined || this.#options.folder.signal.aborted) break
      const isLast = (this.real + 1) % CHECK_EVERY === 0
      await this.#runSample(this.#target, input, isLast)
    }
    this.#process.stdin?.write("\n")
  }

  async #runSample(target: FuzzTarget, input: Uint8Array, isChecked: boolean): Promise<void> {
    try {
      await target.run(input)
      if (isChecked) await target.check?.()
      this.real += 1
    } catch (fault) {
      const event = fault instanceof Finding ? fault.event : "process"
      this.#found({ event, what: `in a real process: ${messageOf(fault)}`, inputs: [input], isRepeatable: false })
    }
  }

  #found({ event, what, inputs, isRepeatable }: Found): void {
    const file = this.#workspace.writeJson("finding.json", { name: event, inputs: inputs.map(readable) })
    const text = inputs.length === 1 ? `: ${readable(inputs[0] ?? new Uint8Array()).slice(0, MAX_QUOTE)}` : ""
    const repeats = isRepeatable ? "shown again by" : "after"
    this.#report(event, `${what}\n  ${repeats} the ${inputs.length} inputs in ${file}${text}`)
  }

  #report(event: string, what: string): void {
    if (this.#options.folder.signal.aborted) return
    reportIn(this.#options.folder, this.#workspace)("broken", `${this.#options.entry.name} ${event}`, what)
  }

  /** What is known when the process cannot say it. */
  #unfinished(what: string): string {
    const file = this.#workspace.path("folder/batch.json")
    const batch = existsSync(file) ? tryParseJson(readFileSync(file, "utf8")) : undefined
    const inputs = memberIn(batch, "inputs")
    const last = readFileSync(this.#workspace.path("output.log"), "utf8").trimEnd().split("\n").at(-1) ?? ""
    const count = Array.isArray(inputs) ? inputs.length : 0
    return `${what} during the ${count} inputs in ${file}. It has printed last: ${last}`
  }
}

function ignored(): void {}
