// A real Turnhouse process of a proof: started with the environment of a temporary home, killed, suspended and waited for.
import { spawn, type ChildProcess } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import type { Writable } from "node:stream"
import { entryFile } from "../../program/program-files.ts"
import { LineSplitter } from "../../transports/framing/lines.ts"
import type { Workspace } from "../demo/workspace.ts"

/** Bytes of a line on standard output. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface StartOptions {
  /** Called with each line of standard output, which else goes to the log file. */
  readonly onLine?: (line: string) => void
  /** A program and its arguments that start the host, and keep its process id. */
  readonly under?: readonly string[]
  /** Another module than the one that runs commands. */
  readonly module?: string
}

export class HostProcess {
  readonly pid: number
  readonly exited: Promise<Exit>
  exit: Exit | undefined
  readonly #child: ChildProcess

  /** It has a process group of its own: Ctrl-C at the terminal is for the proof. */
  static start(
    workspace: Workspace,
    args: readonly string[],
    { onLine, under = [], module = entryFile }: StartOptions = {},
  ): HostProcess {
    const log = openSync(workspace.path("output.log"), "a", 0o600)
    const out = onLine === undefined ? log : "pipe"
    const [program = process.execPath, ...words] = [...under, process.execPath, module, ...args]
    const child = spawn(program, words, {
      cwd: workspace.path("folder"),
      env: workspace.env,
      stdio: [onLine === undefined ? "ignore" : "pipe", out, log],
      detached: true,
    })
    closeSync(log)
    const lines = new LineSplitter(MAX_LINE_BYTES, (line) => onLine?.(line.kind === "line" ? line.text : line.kind))
    child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk))
    child.stdin?.on("error", () => {}) // it may be dead
    return new HostProcess(child)
  }

  private constructor(child: ChildProcess) {
    this.#child = child
    this.pid = child.pid ?? 0
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit) => {
        this.exit ??= exit
        resolve(this.exit)
      }
      child.once("error", () => end({ code: null, signal: null }))
      child.once("close", (code, signal) => end({ code, signal }))
    })
  }

  get stdin(): Writable | null {
    return this.#child.stdin
  }

  signal(name: NodeJS.Signals): void {
    if (this.exit === undefined) this.#child.kill(name)
  }
}
