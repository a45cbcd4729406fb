// The process of a child and its three pipes, without a word of the protocol. It runs in a process group of its own.
// `stop` does not return before the process is gone: it closes its input, then asks, then forces; what it left behind
// in its group goes with it.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { setTimeout as sleep } from "node:timers/promises"
import type { ChildEnd } from "./faults.ts"
import { groupBegan, groupEnded, signalGroup } from "./living-groups.ts"
import { Tail } from "./tail.ts"

export interface ProcessOptions {
  readonly commandLine: readonly [string, ...string[]]
  readonly cwd: string | undefined
  readonly env: NodeJS.ProcessEnv | undefined
  readonly onOutput: (chunk: Uint8Array) => void
  readonly onStderr: ((text: string) => void) | undefined
}

export interface StopWaits {
  /** How long it may take to go by itself before SIGTERM. */
  readonly graceMs: number
  /** How long it may take after SIGTERM before SIGKILL. */
  readonly termMs: number
}

const stderrKept = 64 * 1024
/** Output that nobody writes to any more, but that somebody else holds open, is given up after this silence. */
const silenceMs = 250

export class ChildProcess {
  /** The process is gone and all that it wrote was read. Rejects when it could not be started. */
  readonly ended: Promise<ChildEnd>
  /** Undefined when it could not be started. */
  readonly pid: number | undefined
  readonly #exited = Promise.withResolvers<void>()
  readonly #stderr = new Tail(stderrKept)
  #pipes: ChildProcessWithoutNullStreams | undefined
  #chunks = 0

  constructor({ commandLine: [program, ...args], cwd, env, onOutput, onStderr }: ProcessOptions) {
    const child = spawn(program, args, { cwd, env: env ?? process.env, stdio: "pipe", detached: true })
    this.pid = child.pid
    this.ended = this.#watch(child)
    this.ended.catch(() => {}) // whoever asks is told
    if (child.pid === undefined) return // and it may have no pipes either
    this.#pipes = child
    child.stdin.on("error", () => {}) // it need not read its input; `ended` says when it is gone
    child.stdout.on("data", (chunk: Buffer) => {
      this.#chunks += 1
      onOutput(chunk)
    })
    this.#listenTo(child.stderr, onStderr)
  }

  get stderr(): string {
    return this.#stderr.text
  }

  /** Bytes that it has not taken yet. */
  get waiting(): number {
    return this.#pipes?.stdin.writableLength ?? 0
  }

  write(text: string): void {
    if (this.#pipes?.stdin.writable === true) this.#pipes.stdin.write(text)
  }

  setReading(isReading: boolean): void {
    const stdout = this.#pipes?.stdout
    if (stdout === undefined || isReading === !stdout.isPaused()) return
    if (isReading) stdout.resume()
    else stdout.pause()
  }

  /** Its output must be read meanwhile: a child that cannot write does not end. */
  async stop({ graceMs, termMs }: StopWaits): Promise<void> {
    this.#pipes?.stdin.end()
    if (await this.#exitsWithin(graceMs)) return
    this.#signal("SIGTERM")
    if (await this.#exitsWithin(termMs)) return
    this.#signal("SIGKILL")
    await this.#exited.promise
  }

  #listenTo(stderr: Readable, onStderr: ((text: string) => void) | undefined): void {
    const decoder = new StringDecoder("utf8")
    stderr.on("data", (chunk: Buffer) => {
      const text = decoder.write(chunk)
      this.#stderr.add(text)
      onStderr?.(text)
    })
  }

  #watch(child: ChildProcessWithoutNullStreams): Promise<ChildEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<ChildEnd>()
    const group = child.pid
    child.once("error", (fault) => {
      if (group !== undefined) return // a signal could not be delivered; how it ends is told below
      this.#exited.resolve()
      reject(fault)
    })
    if (group === undefined) return promise
    groupBegan(group)
    child.once("exit", () => {
      signalGroup(group, "SIGKILL") // what it left behind
      groupEnded(group)
      this.#exited.resolve()
      void this.#giveUpOutput(child)
    })
    child.once("close", (code, signal) => resolve({ code, signal, stderr: this.stderr }))
    return promise
  }

  /** A process outside the group may have inherited the output and keep it open for ever. */
  async #giveUpOutput({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<void> {
    for (let seen = -1; seen !== this.#chunks || stdout.isPaused();) {
      if (stdout.closed && stderr.closed) return
      seen = this.#chunks
      await sleep(silenceMs, undefined, { ref: false })
    }
    stdout.destroy()
    stderr.destroy()
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const late = new AbortController()
    const inTime = this.#exited.promise.then(() => true)
    const tooLate = sleep(ms, false, { signal: late.signal }).catch(() => false)
    const hasExited = await Promise.race([inTime, tooLate])
    late.abort()
    return hasExited
  }

  #signal(name: NodeJS.Signals): void {
    if (this.pid !== undefined) signalGroup(this.pid, name)
  }
}
