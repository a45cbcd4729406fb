// The real program with its own folder, home and an otherwise empty environment. Processes that a test starts here are
// ended with the test.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Script, Step } from "../../src/models/offline/part.ts"
import { endCommands } from "./hosts.ts"
import { killWriter } from "./log-writer.ts"
import { objects, type Json } from "./printed.ts"
import { Running, type Ended } from "./running.ts"

export const program = fileURLToPath(new URL("../../bin/turnhouse", import.meta.url))
/** Compiled code may be shared: each home would else compile the program anew. */
const sharedCache = fileURLToPath(new URL("../../node_modules/.cache/turnhouse-e2e", import.meta.url))

/** As input: it stays open, and silent until the test writes to it. */
export const openInput = Symbol("open input")

export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What stands on its standard input, which is empty by default. */
  readonly input?: string | Uint8Array | typeof openInput
}

export class Place {
  readonly program = program
  readonly root = join(tmpdir(), `turnhouse-e2e-${randomUUID()}`)
  readonly folder = join(this.root, "folder")
  readonly home = join(this.root, "home")
  readonly #started: Running[] = []

  /** `bare`: the home does not exist yet, as on the first day. */
  open({ bare = false }: { readonly bare?: boolean } = {}): this {
    for (const path of [this.root, this.folder, join(this.root, "user")]) mkdirSync(path)
    if (bare) return this
    mkdirSync(this.home, { mode: 0o700 })
    shareCache(this.home)
    return this
  }

  get env(): Record<string, string> {
    return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: join(this.root, "user"), TURNHOUSE_HOME: this.home }
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text)
    return this.path(name)
  }

  has(name: string): boolean {
    return existsSync(this.path(name))
  }

  /** A shell makes a file before it writes to it: whoever needs the content waits for this. */
  isWritten(name: string): boolean {
    return this.has(name) && this.read(name) !== ""
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8")
  }

  /** The model that says what the script tells it, at once unless the script has a delay. */
  script(steps: readonly Step[], settings: Omit<Script, "steps"> = {}, name = "script.json"): string {
    return `offline/script:${this.write(name, JSON.stringify({ delayMs: 0, ...settings, steps }))}`
  }

  config(config: Json): void {
    writeFileSync(join(this.home, "config.json"), JSON.stringify(config))
  }

  start(args: readonly string[], options: StartOptions = {}): Running {
    return this.startOther(program, args, options)
  }

  /** Some other program that starts ours. */
  startOther(command: string, args: readonly string[], { cwd, env, input = "" }: StartOptions = {}): Running {
    const child = spawn(command, args, { cwd: cwd ?? this.folder, env: { ...this.env, ...env }, stdio: "pipe" })
    const running = new Running(child)
    this.#started.push(running)
    if (input !== openInput) running.endInput(input)
    return running
  }

  /** A line for a shell, on a terminal of its own; what the terminal shows is on stdout. Input stays open. */
  onTerminal(commandLine: string, options: StartOptions = {}): Running {
    const terminal = "/usr/bin/script"
    if (!existsSync(terminal)) throw new Error(`${terminal} (util-linux) is missing: there is no terminal to test on`)
    return this.startOther(terminal, ["-qec", commandLine, "/dev/null"], { input: openInput, ...options })
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended
  }

  /** Every session, empty and ended ones too, newest first. */
  async sessions(): Promise<readonly Json[]> {
    const { code, stdout, stderr } = await this.run("ls", "--all", "--json")
    if (code !== 0) throw new Error(stderr)
    return objects(stdout)
  }

  async newest(): Promise<string> {
    return idOf((await this.sessions())[0])
  }

  async log(sessionId: string): Promise<string> {
    const { code, stdout, stderr } = await this.run("log", sessionId, "--json")
    if (code !== 0) throw new Error(stderr)
    return stdout
  }

  async close(): Promise<void> {
    for (const running of this.#started) running.signal("SIGKILL")
    await Promise.all(this.#started.map((running) => running.ended))
    await endCommands(this.home)
    killWriter(this.home)
    rmSync(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

export function shareCache(home: string): void {
  mkdirSync(sharedCache, { recursive: true })
  symlinkSync(sharedCache, join(home, "cache"))
}

export function idOf(session: Json | undefined): string {
  const id = session?.["id"]
  if (typeof id !== "string") throw new Error("there is no session")
  return id
}
