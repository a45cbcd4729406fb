// A process that does not exist, for decoders of what processes print: its pipes are in memory.
import { PassThrough } from "node:stream"
import type { Exit, GatedProcess } from "../../../../processes/gated-process.ts"

/** No process has it: above the largest number of a process on Linux and macOS. Signals to it change nothing. */
const NO_PROCESS = 2 ** 30

export class FakeProcess implements GatedProcess {
  readonly process = { pid: NO_PROCESS, group: NO_PROCESS, startTime: "never", mark: "none" }
  readonly stdin = new PassThrough()
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly exited: Promise<Exit>
  isKilled = false
  readonly #exited = Promise.withResolvers<Exit>()

  /** `onInput` gets what it is sent. */
  constructor(onInput: (chunk: Buffer) => void) {
    this.exited = this.#exited.promise
    this.stdin.on("data", onInput)
  }

  print(bytes: Uint8Array | string): void {
    if (this.stdout.writable) this.stdout.write(bytes)
  }

  /** It ends by itself. */
  exit(): void {
    this.stdout.end()
    this.stderr.end()
    this.#exited.resolve({ code: 0, signal: null })
  }

  go(): void {}

  abandon(): void {
    this.exit()
  }

  async kill(): Promise<boolean> {
    this.isKilled = true
    this.exit()
    return true
  }

  async isAlive(): Promise<boolean> {
    return !this.isKilled
  }

  ignoreOutput(): void {
    this.stdout.destroy()
    this.stderr.destroy()
  }
}
