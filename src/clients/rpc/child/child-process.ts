// A child process in its own process group, with its pipes; knows nothing of the protocol. `stop` closes its input, then
// sends SIGTERM, then SIGKILL to the group, and returns when the process is gone.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { setTimeout as sleep } from "node:timers/promises"
import type { ChildEnd } from "../faults.ts"

export interface ProcessOptions {
  readonly commandLine: readonly [string, ...string[]]
  readonly cwd?: string | undefined
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly onOutput: (chunk: Uint8Array) => void
  readonly onStderr?: ((text: string) => void) | undefined
}

export interface StopWaits {
  /** Milliseconds until SIGTERM. */
  readonly graceMs: number
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly termMs: number
}

/** Characters of stderr that are kept. */
const MAX_STDERR = 64 * 1024
/** After the exit: how long output that another process keeps open may be silent before it is closed. */
const SILENCE_MS = 250

export class ChildProcess {
  /** Resolves when the process is gone and its output was read. Rejects when it could not be started. */
  readonly ended: Promise<ChildEnd>
  /** Undefined when it could not be started. */
  readonly pid: number | undefined
  readonly #exited = Promise.withResolvers<void>()
  readonly #stderr = new Tail(MAX_STDERR)
  #pipes: ChildProcessWithoutNullStreams | undefined
  #chunks = 0

  constructor({ commandLine: [program, ...args], cwd, env, onOutput, onStderr }: ProcessOptions) {
    const child = spawn(program, args, { cwd, env: env ?? process.env, stdio: "pipe", detached: true })
    this.pid = child.pid
    this.ended = this.#watch(child)
    this.ended.catch(() => {}) // reported to its caller
    if (child.pid === undefined) return // it may have no pipes
    this.#pipes = child
    child.stdin.on("error", () => {}) // a child need not read its input; `ended` reports its end
    child.stdout.on("data", (chunk: Buffer) => {
      this.#chunks += 1
      onOutput(chunk)
    })
    this.#readStderr(child.stderr, onStderr)
  }

  get stderr(): string {
    return this.#stderr.text
  }

  /** Bytes that the child has not read. */
  get waitingBytes(): number {
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

  /** The output must be read meanwhile: a child that cannot write does not exit. */
  async stop({ graceMs, termMs }: StopWaits): Promise<void> {
    this.#pipes?.stdin.end()
    if (await this.#exitsWithin(graceMs)) return
    this.#signal("SIGTERM")
    if (await this.#exitsWithin(termMs)) return
    this.#signal("SIGKILL")
    await this.#exited.promise
  }

  #readStderr(stderr: Readable, onStderr: ((text: string) => void) | undefined): void {
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
      if (group !== undefined) return // a signal could not be delivered; `exit` follows
      this.#exited.resolve()
      reject(fault)
    })
    if (group === undefined) return promise
    addGroup(group)
    child.once("exit", () => {
      signalGroup(group, "SIGKILL") // processes that it left behind
      runningGroups.delete(group)
      this.#exited.resolve()
      void this.#closeOutput(child)
    })
    child.once("close", (code, signal) => resolve({ code, signal, stderr: this.stderr }))
    return promise
  }

  /** A process outside the group may have inherited the output and keep it open. */
  async #closeOutput({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<void> {
    for (let seen = -1; seen !== this.#chunks || stdout.isPaused();) {
      if (stdout.closed && stderr.closed) return
      seen = this.#chunks
      await sleep(SILENCE_MS, undefined, { ref: false })
    }
    stdout.destroy()
    stderr.destroy()
  }

  async #exitsWithin(ms: number): Promise<boolean> {
    const exited = new AbortController()
    const timeout = sleep(ms, false, { signal: exited.signal }).catch(() => false)
    const hasExited = await Promise.race([this.#exited.promise.then(() => true), timeout])
    exited.abort()
    return hasExited
  }

  #signal(name: NodeJS.Signals): void {
    if (this.pid !== undefined) signalGroup(this.pid, name)
  }
}

/** They get SIGTERM when this process exits without closing them; if it dies by a signal, they see the end of their input. */
const runningGroups = new Set<number>()
let hasExitHandler = false

function addGroup(group: number): void {
  runningGroups.add(group)
  if (hasExitHandler) return
  hasExitHandler = true
  process.on("exit", () => {
    for (const left of runningGroups) signalGroup(left, "SIGTERM")
  })
}

/** Ignores a group that no longer exists or now belongs to another user. */
function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch (fault) {
    const code = fault instanceof Error && "code" in fault ? fault.code : undefined
    if (code !== "ESRCH" && code !== "EPERM") throw fault
  }
}

/** The newest part of a text of any length. */
class Tail {
  readonly #limit: number
  #text = ""

  constructor(limit: number) {
    this.#limit = limit
  }

  get text(): string {
    return this.#text.slice(-this.#limit)
  }

  add(piece: string): void {
    this.#text += piece
    if (this.#text.length > 2 * this.#limit) this.#text = this.text // rarely, because cutting copies
  }
}
