// The temporary folder of a story: a home, a user's home and the files of the project. Programs started here see nothing
// of the user's own settings, keys and sessions, and end with the story.
import { execFile, spawn, type ChildProcess } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { entryFile } from "../../program/program-files.ts"
import { AppFault, exitCodes } from "../app-fault.ts"
import { endPrograms, untilNoneNames } from "./end-programs.ts"

/** Variables of the user that programs of the story get. Everything else could be a key or a setting. */
const passedVariables = ["LANG", "LC_ALL", "TZ", "TURNHOUSE_NODE", "TURNHOUSE_CACHE"]
/** Bytes that a program may print. */
const MAX_PRINTED = 1024 * 1024
/** How long programs that keep running may take to end by themselves. */
const END_MS = 5000
const MAX_REMOVALS = 20

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface StartedProgram {
  readonly pid: number
  /** Undefined while it runs. */
  readonly exitCode: () => number | undefined
  /** Why it has ended: its own message, else the last line that it printed. */
  readonly problem: () => string
  readonly end: () => Promise<void>
}

export class Workspace {
  readonly folder: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  readonly #commands = new Set<ChildProcess>()
  readonly #programs = new Set<ChildProcess>()
  readonly #closers: (() => Promise<void> | void)[] = []
  #closing: Promise<void> | undefined

  /** The folder must be empty; default: a new one of the system. `variables`: more of them. */
  constructor(folder = temporaryFolder("turnhouse-demo-"), variables: Readonly<Record<string, string>> = {}) {
    this.folder = folder
    this.home = this.path("home")
    mkdirSync(this.home, { mode: 0o700 })
    for (const name of ["user", "tmp", "bin"]) mkdirSync(this.path(name))
    symlinkSync(process.execPath, this.path("bin/node")) // a machine need not have a Node of its own
    const passed = passedVariables.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    const own = {
      PATH: [this.path("bin"), process.env["PATH"] ?? "/usr/bin:/bin"].join(delimiter),
      HOME: this.path("user"),
      TMPDIR: this.path("tmp"),
      TURNHOUSE_HOME: this.home,
    }
    this.env = { ...Object.fromEntries(passed), ...own, ...variables }
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names)
  }

  /** Returns the full path. */
  write(name: string, text: string, mode = 0o644): string {
    const path = this.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    return path
  }

  writeJson(name: string, value: unknown): string {
    return this.write(name, `${JSON.stringify(value, null, 2)}\n`)
  }

  /** Called when the story ends, before its programs are ended; the newest first. */
  onClose(close: () => Promise<void> | void): void {
    this.#closers.unshift(close)
  }

  /** A command of this program, in a process of its own. */
  turnhouse(args: readonly string[], cwd?: string): Promise<Ended> {
    return this.run(process.execPath, [entryFile, ...args], cwd)
  }

  /** Any program, until it ends. Only one that cannot be started is a fault. */
  run(command: string, args: readonly string[], cwd = this.folder): Promise<Ended> {
    this.#refuseLate()
    return new Promise((resolve, reject) => {
      const options = { cwd, env: this.env, maxBuffer: MAX_PRINTED }
      const child = execFile(command, [...args], options, (fault, stdout, stderr) => {
        if (fault?.code === "ENOENT") reject(missing(command))
        else resolve({ code: fault === null ? 0 : codeOf(fault.code), stdout, stderr })
      })
      child.stdin?.end()
      track(child, this.#commands)
    })
  }

  /** A program that fails ends the story. Returns what it printed. */
  async succeed(command: string, args: readonly string[], cwd?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, args, cwd)
    if (code === 0) return stdout.trimEnd()
    throw new AppFault(`'${command} ${args.join(" ")}' failed with exit code ${code}: ${stderr.trim()}`)
  }

  git(args: readonly string[], cwd: string): Promise<string> {
    return this.succeed("git", args, cwd)
  }

  /**
   * A command of this program that keeps running, with its output in a file. It has a group of its own: Ctrl-C at the
   * terminal is for the story, which ends it in order.
   */
  start(args: readonly string[], cwd = this.folder): StartedProgram {
    this.#refuseLate()
    const logFile = this.path(`${args[0] ?? "program"}.log`)
    const log = openSync(logFile, "a", 0o600)
    const child = spawn(process.execPath, [entryFile, ...args], {
      cwd,
      env: this.env,
      stdio: ["ignore", log, log],
      detached: true,
    })
    closeSync(log)
    track(child, this.#programs)
    let exitCode: number | undefined
    const exited = new Promise<void>((resolve) => {
      child.once("exit", (code) => resolve(void (exitCode = code ?? exitCodes.failed)))
      child.once("error", () => resolve(void (exitCode = exitCodes.failed)))
    })
    return {
      pid: child.pid ?? 0,
      exitCode: () => exitCode,
      problem: () => problemIn(readFileSync(logFile, "utf8")),
      end: () => {
        child.kill("SIGTERM")
        return exited
      },
    }
  }

  /** Ends all programs and removes the folder, unless it is kept. Can be called again. */
  close(keepsFolder: boolean): Promise<void> {
    this.#closing ??= this.#close(keepsFolder)
    return this.#closing
  }

  /** Commands first: one that is under way could start a host. */
  async #close(keepsFolder: boolean): Promise<void> {
    for (const close of this.#closers) await close()
    for (const child of this.#commands) child.kill("SIGKILL")
    await endPrograms(this.home, END_MS)
    for (const child of this.#programs) child.kill("SIGKILL")
    await untilNoneNames(this.folder, END_MS) // the reapers of the hosts end the processes of tools
    if (keepsFolder) return
    removeFolder(this.folder)
    await endPrograms(this.home, END_MS) // what a viewer has started in the last moment
  }

  #refuseLate(): void {
    if (this.#closing !== undefined) throw new AppFault("the story is over", exitCodes.interrupted)
  }
}

export function temporaryFolder(prefix: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), prefix)))
}

/** `rmSync` gives up without an error when a program that is ending removes a folder in it at the same moment. */
export function removeFolder(folder: string): void {
  for (let removals = 0; removals < MAX_REMOVALS && existsSync(folder); removals += 1)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

function track(child: ChildProcess, running: Set<ChildProcess>): void {
  running.add(child)
  const forget = () => running.delete(child)
  child.once("exit", forget).once("error", forget)
}

function problemIn(printed: string): string {
  const lines = printed.trim().split("\n")
  const message = lines.findLast((line) => line.startsWith("turnhouse: ")) ?? lines.at(-1) ?? ""
  return message.replace(/^turnhouse: /, "")
}

function codeOf(code: number | string | null | undefined): number {
  return typeof code === "number" ? code : exitCodes.failed
}

function missing(command: string): AppFault {
  return new AppFault(`${command} was not found on the PATH. The story needs it: install it, then try again.`)
}
