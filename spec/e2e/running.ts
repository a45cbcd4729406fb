// One process of the program under test. Its output is kept with the time of its arrival, and a test waits for output,
// never for time. If the process exits first, the wait fails with all output.
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { constants } from "node:os"
import type { EventOf, EventType } from "../../src/contract/events.ts"
import { eventIn } from "./printed.ts"

export interface Line {
  readonly text: string
  /** When it arrived, as performance.now() tells it. */
  readonly at: number
}

export interface Ended {
  /** As a shell would tell it: the exit code, or 128 and the number of the signal. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Whole lines of stdout. */
  readonly lines: readonly Line[]
}

export class Running {
  readonly pid: number
  readonly ended: Promise<Ended>
  readonly lines: Line[] = []
  stdout = ""
  stderr = ""
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Set<() => void>()
  #over = false
  #partial = ""

  constructor(child: ChildProcessWithoutNullStreams) {
    if (child.pid === undefined) throw new Error("the program could not be started")
    this.pid = child.pid
    this.#child = child
    child.stdin.on("error", () => {}) // a program need not read its input
    child.stdout.setEncoding("utf8").on("data", (piece: string) => this.#onOutput(piece))
    child.stderr.setEncoding("utf8").on("data", (piece: string) => this.#onErrorOutput(piece))
    this.ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(this.#end(code, signal))))
  }

  /** Resolves with the first thing that `look` finds, now or after any later output. */
  until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look()
        if (found === undefined && !this.#over) return
        this.#waiting.delete(check)
        if (found === undefined) reject(new Error(`it ended without ${what}\n${this.stdout}\n${this.stderr}`))
        else resolve(found)
      }
      this.#waiting.add(check)
      check()
    })
  }

  async event<Type extends EventType>(type: Type): Promise<EventOf<Type>> {
    return this.until(`the event ${type}`, () => this.lines.flatMap((line) => eventIn(line.text, type))[0])
  }

  async lineNumber(number: number): Promise<Line> {
    return this.until(`line ${number}`, () => this.lines[number - 1])
  }

  async prints(text: string): Promise<void> {
    await this.until(`'${text}' on stdout`, () => this.stdout.includes(text) || undefined)
  }

  async says(text: string): Promise<void> {
    await this.until(`'${text}' on stderr`, () => this.stderr.includes(text) || undefined)
  }

  /** False when it has ended already. */
  signal(name: NodeJS.Signals): boolean {
    return !this.#over && this.#child.kill(name)
  }

  write(text: string | Uint8Array): void {
    this.#child.stdin.write(text)
  }

  endInput(text: string | Uint8Array = ""): void {
    this.#child.stdin.end(text)
  }

  /** As a reader that goes away. */
  stopReading(stream: "stdout" | "stderr"): void {
    this.#child[stream].destroy()
  }

  #onOutput(piece: string): void {
    const at = performance.now()
    this.stdout += piece
    const lines = (this.#partial + piece).split("\n")
    this.#partial = lines.pop() ?? ""
    this.lines.push(...lines.map((text) => ({ text, at })))
    this.#check()
  }

  #onErrorOutput(piece: string): void {
    this.stderr += piece
    this.#check()
  }

  #check(): void {
    for (const check of this.#waiting) check()
  }

  #end(code: number | null, signal: NodeJS.Signals | null): Ended {
    this.#over = true
    this.#check()
    const number = signal === null ? 0 : constants.signals[signal]
    return { code: code ?? 128 + number, stdout: this.stdout, stderr: this.stderr, lines: this.lines }
  }
}
