// The real child on real pipes, without the parent library. Every line that it prints is checked against the schemas of
// the protocol; one that does not match makes every wait fail. A test waits for frames, never for time.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { constants } from "node:os"
import type { ExtendedEvent, RpcEvent } from "../../src/protocols/rpc/frames.ts"
import { LineSplitter, type Line } from "../../src/transports/framing/lines.ts"
import { program, type Place } from "../e2e/place.ts"
import { checkedFrame } from "./checked-frame.ts"

export type Frame = RpcEvent | ExtendedEvent
export type Response = Extract<Frame, { type: "response" }>

export interface WireOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Accepts the frames of an extended child. */
  readonly extended?: boolean
}

export interface WireEnd {
  /** As a shell reports it: the exit code, or 128 and the number of the signal. */
  readonly code: number
  readonly frames: readonly Frame[]
  readonly stderr: string
}

const longestLine = 64 * 1024 * 1024

export class Wire {
  readonly pid: number
  readonly ended: Promise<WireEnd>
  /** All of them, `ready` first. */
  readonly frames: Frame[] = []
  readonly firstByte = Promise.withResolvers<string>()
  stderr = ""
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Set<() => void>()
  readonly #isExtended: boolean
  #fault: Error | undefined
  #isOver = false

  constructor(place: Place, args: readonly string[] = [], { env, extended = false }: WireOptions = {}) {
    this.#isExtended = extended
    const flags = extended ? ["--extended", ...args] : args
    this.#child = spawn(program, ["rpc", ...flags], { cwd: place.folder, env: { ...place.env, ...env }, stdio: "pipe" })
    if (this.#child.pid === undefined) throw new Error("the child could not be started")
    this.pid = this.#child.pid
    this.#child.stdin.on("error", () => {}) // a child need not read to the end
    const lines = new LineSplitter(longestLine, (line) => this.#take(line))
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.firstByte.resolve(String.fromCharCode(chunk[0] ?? 0))
      lines.push(chunk)
      this.#look()
    })
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("close", (code, signal) => {
        const end = this.#end(lines, code, signal)
        if (end instanceof Error) reject(end)
        else resolve(end)
      })
    })
    this.ended.catch(() => {}) // every waiting call rejects
  }

  /** A frame, or text or bytes as they are. Resolves when they are in the pipe. */
  send(...what: readonly (object | string | Uint8Array)[]): Promise<void> {
    const bytes = what.map((one) => {
      if (one instanceof Uint8Array) return one
      return Buffer.from(typeof one === "string" ? one : `${JSON.stringify(one)}\n`)
    })
    return new Promise((resolve) => this.#child.stdin.write(Buffer.concat(bytes), () => resolve()))
  }

  endInput(): void {
    this.#child.stdin.end()
  }

  /** Acts as a parent that has exited. */
  goAway(): void {
    this.#child.stdout.destroy()
    this.#child.stdin.destroy()
  }

  stopReading(): void {
    this.#child.stdout.pause()
  }

  readOn(): void {
    this.#child.stdout.resume()
  }

  signal(name: NodeJS.Signals): void {
    if (!this.#isOver) this.#child.kill(name)
  }

  /** The first frame after the given number of them that `look` accepts. */
  async until<Wanted extends Frame>(
    what: string,
    look: (frame: Frame) => frame is Wanted,
    after?: number,
  ): Promise<Wanted>
  async until(what: string, look: (frame: Frame) => boolean, after?: number): Promise<Frame>
  until(what: string, look: (frame: Frame) => boolean, after = 0): Promise<Frame> {
    return new Promise((resolve, reject) => {
      let seen = after
      const check = () => {
        for (; seen < this.frames.length; seen++) {
          const frame = this.frames[seen]
          if (frame === undefined || !look(frame)) continue
          this.#waiting.delete(check)
          return resolve(frame)
        }
        if (this.#fault === undefined && !this.#isOver) return
        this.#waiting.delete(check)
        reject(this.#fault ?? new Error(`it ended without ${what}\n${this.#describeFrames()}`))
      }
      this.#waiting.add(check)
      check()
    })
  }

  ready(): Promise<Extract<Frame, { type: "ready" }>> {
    return this.until("ready", (frame) => frame.type === "ready")
  }

  /** The response with this id. */
  async response(id: string, after = 0): Promise<Response> {
    const isIt = (frame: Frame): frame is Response => frame.type === "response" && frame.id === id
    return this.until(`a response to '${id}'`, isIt, after)
  }

  /** Sends a command and returns its response. */
  async ask(command: { readonly type: string; readonly id: string }): Promise<Response> {
    const after = this.frames.length
    await this.send(command)
    return this.response(command.id, after)
  }

  /** Sends, then returns all frames before the response to a following `get_state`: what was sent is handled by then. */
  async sendAndSettle(...what: readonly (object | string | Uint8Array)[]): Promise<readonly Frame[]> {
    const after = this.frames.length
    fences += 1
    const id = `fence-${fences}`
    await this.send(...what, { type: "get_state", id })
    const answer = await this.response(id, after)
    return this.frames.slice(after, this.frames.indexOf(answer, after))
  }

  async shutdown(): Promise<WireEnd> {
    await this.send({ type: "shutdown" })
    return this.ended
  }

  #take(line: Line): void {
    const checked = checkedFrame(line, this.#isExtended)
    if (checked.kind === "frame") this.frames.push(checked.frame)
    else this.#fault ??= new Error(checked.what)
  }

  #look(): void {
    for (const check of this.#waiting) check()
  }

  #describeFrames(): string {
    return `${this.frames.map((frame) => JSON.stringify(frame).slice(0, 300)).join("\n")}\n${this.stderr}`
  }

  #end(lines: LineSplitter, code: number | null, signal: NodeJS.Signals | null): WireEnd | Error {
    lines.end()
    this.#isOver = true
    this.#look()
    if (this.#fault !== undefined) return this.#fault
    const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
    return { code: exitCode, frames: this.frames, stderr: this.stderr }
  }
}

let fences = 0
