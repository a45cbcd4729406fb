// A program on a real pseudo-terminal, seen through an emulator. A test waits for what the screen shows, never for time.
import { spawn, type IPty } from "@lydell/node-pty"
import { Emulator, type EmulatorSize } from "./emulator.ts"

export interface WindowOptions extends Partial<EmulatorSize> {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** False: a terminal that answers no queries. */
  readonly answers?: boolean
  /** Gets every piece of output as it arrives. */
  readonly record?: (text: string) => void
}

/** No state of a screen takes that long, on a loaded machine too: the test is told what the screen shows instead. */
const MAX_WAIT_MS = 60_000

export const keys = {
  enter: "\r",
  escape: "\u001b",
  /** As terminals with the kitty protocol send it: never the beginning of another key. */
  kittyEscape: "\u001b[27u",
  tab: "\t",
  backspace: "\u007f",
  up: "\u001b[A",
  down: "\u001b[B",
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  end: "\u001b[F",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlEnd: "\u001b[1;5F",
  ctrlHome: "\u001b[1;5H",
  ctrlO: "\u000f",
  ctrlP: "\u0010",
  ctrlZ: "\u001a",
} as const

export type KeyName = keyof typeof keys

export class Window {
  readonly emulator: Emulator
  readonly ended: Promise<number>
  readonly pid: number
  readonly #pty: IPty
  readonly #waiting = new Set<() => void>()
  #code: number | undefined
  #unshown = 0

  constructor(program: string, args: readonly string[], options: WindowOptions) {
    const { columns = 80, rows = 24, cwd, env, answers = true, record } = options
    this.emulator = new Emulator({ columns, rows })
    this.#pty = spawn(program, [...args], { cols: columns, rows, cwd, env: { ...env } })
    this.pid = this.#pty.pid
    this.#pty.onData((text) => {
      record?.(text)
      this.#unshown += 1
      this.emulator.write(text, () => {
        this.#unshown -= 1
        this.#check()
      })
    })
    if (answers) this.emulator.onReply((text) => this.type(text))
    this.ended = new Promise((resolve) =>
      this.#pty.onExit(({ exitCode, signal }) => resolve(this.#end(exitCode, signal))),
    )
  }

  get text(): string {
    return this.emulator.text
  }

  /** Resolves with the first thing that `look` finds, now or after any later output. It sees whole frames only. */
  until<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why} without ${what}. The screen:\n${this.emulator.allText}`))
      const limit = setTimeout(() => settle(() => fail(`${MAX_WAIT_MS / 1000} s passed`)), MAX_WAIT_MS)
      const settle = (answer: () => void) => {
        clearTimeout(limit)
        this.#waiting.delete(check)
        answer()
      }
      const check = () => {
        const found = this.emulator.isDrawing ? undefined : look()
        if (found !== undefined) settle(() => resolve(found))
        else if (this.#code !== undefined && this.#unshown === 0) settle(() => fail(`it ended (${this.#code})`))
      }
      this.#waiting.add(check)
      check()
    })
  }

  async shows(...texts: readonly string[]): Promise<void> {
    for (const text of texts) await this.until(`'${text}'`, () => this.emulator.allText.includes(text) || undefined)
  }

  async hides(text: string): Promise<void> {
    await this.until(`'${text}' gone`, () => !this.text.includes(text) || undefined)
  }

  type(text: string): void {
    if (this.#code === undefined) this.#pty.write(text)
  }

  press(...names: readonly KeyName[]): void {
    this.type(names.map((name) => keys[name]).join(""))
  }

  resize(size: EmulatorSize): void {
    this.emulator.resize(size)
    this.#pty.resize(size.columns, size.rows)
  }

  signal(name: NodeJS.Signals): void {
    if (this.#code === undefined) process.kill(this.pid, name)
  }

  /** As if the user closed the window of the terminal. */
  async close(): Promise<void> {
    this.signal("SIGKILL")
    await this.ended
  }

  /** Has the program draw everything anew, as after Ctrl-Z and `fg`. */
  async repaint(): Promise<void> {
    const { fullFrames } = this.emulator
    this.signal("SIGCONT")
    await this.until("a full repaint", () => this.emulator.fullFrames > fullFrames || undefined)
  }

  #end(code: number, signal: number | undefined): number {
    this.#code = signal === undefined || signal === 0 ? code : 128 + signal
    this.#check()
    return this.#code
  }

  #check(): void {
    for (const check of this.#waiting) check()
  }
}
