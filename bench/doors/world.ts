// Everything a run needs, in one temporary folder: the provider, homes, and the processes that are measured. Closing it ends all of
// them and of the processes that they started, and removes the folder.
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { clockMs, pause } from "./clock.ts"
import * as connecting from "./contender.ts"
import type { Contender, Door, Kind } from "./contender.ts"
import { processesWith, RunningProcess } from "./running-process.ts"

export type Format = "chat" | "anthropic"

export interface StartOptions {
  readonly format?: Format
  /** Added to the configuration. */
  readonly settings?: object
  readonly env?: Readonly<Record<string, string>>
  /** For ours. */
  readonly args?: readonly string[]
  /** One that exists already. */
  readonly home?: string
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
export const turnhouse = file("../../bin/turnhouse")
const ENDING_MS = 3000

export class World {
  /** Where the sessions work. */
  readonly folder: string
  /** Without /v1. */
  readonly providerUrl: string
  readonly #root: string
  /** The bundled program. */
  readonly #relay: string
  readonly #provider: RunningProcess
  readonly #children = new Set<RunningProcess>()
  readonly #others: (() => Promise<void>)[] = []
  #failure = newFailure()
  #count = 0
  #closing: Promise<void> | undefined

  static async open(): Promise<World> {
    const child = spawn(process.execPath, [file("provider.ts")], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: "" },
    })
    const line = await firstLine(child)
    const world = new World(new RunningProcess(child), line.replace("listening on ", ""))
    const bundle = { bundle: true, platform: "node", format: "cjs", target: "node24", outfile: world.#relay } as const
    await build({ entryPoints: [file("bare/relay.ts")], ...bundle })
    return world
  }

  private constructor(provider: RunningProcess, providerUrl: string) {
    this.#provider = provider
    this.providerUrl = providerUrl
    this.#root = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
    this.folder = this.path("work")
    this.#relay = this.path("relay.cjs")
    for (const name of ["work", "cache", "user", "tmp"]) mkdirSync(this.path(name))
  }

  /** Rejects when a process that is measured ends by itself from now on. */
  get failed(): Promise<never> {
    return this.#failure.promise
  }

  path(name: string): string {
    return join(this.#root, name)
  }

  /** Without secrets of the caller: each of them would cost something for each delta. */
  env(home: string): Record<string, string> {
    const { PATH = "" } = process.env
    const folders = { HOME: this.path("user"), TMPDIR: this.path("tmp"), TURNHOUSE_HOME: home }
    return { PATH, LANG: "C.UTF-8", TERM: "xterm-256color", ...folders }
  }

  bareEnv(home: string): Record<string, string> {
    return { ...this.env(home), NODE_COMPILE_CACHE: this.path("cache-bare") }
  }

  /** A new home; compiled code is shared between them, as between the starts of one installation. */
  newHome(options: StartOptions = {}): string {
    const home = this.path(`home-${(this.#count += 1)}`)
    mkdirSync(home, { mode: 0o700 })
    symlinkSync(this.path("cache"), join(home, "cache"))
    this.configure(home, options)
    return home
  }

  configure(home: string, { format = "chat", settings = {} }: StartOptions = {}): void {
    const type = format === "chat" ? "openai-compatible" : "anthropic"
    const providers = { local: { type, baseURL: `${this.providerUrl}/v1`, apiKey: "key-of-the-benchmark" } }
    const agents = { a: { tools: ["read", "bash"] } }
    const tools = { allow: ["*"], sandbox: "off" }
    writeFileSync(
      join(home, "config.json"),
      JSON.stringify({ model: "local/m", providers, agents, tools, ...settings }),
    )
    const prices = { "local/m": { input: 0, output: 0, contextWindow: 100_000_000 } }
    writeFileSync(join(home, "prices.json"), JSON.stringify({ models: prices }))
  }

  async start(door: Door, kind: Kind, options: StartOptions = {}): Promise<Contender> {
    const home = options.home ?? this.newHome(options)
    const socket = this.path(`bare-${(this.#count += 1)}.sock`)
    const [command, ...args] =
      kind === "ours" ? [...oursFor(door), ...(options.args ?? [])] : this.bareFor(door, options.format, socket)
    const begun = clockMs()
    const env = { ...(kind === "ours" ? this.env(home) : this.bareEnv(home)), ...options.env }
    const child = spawn(command, args, { env, cwd: this.folder, stdio: ["pipe", "pipe", "pipe"] })
    const process = new RunningProcess(child, `TURNHOUSE_HOME=${home}`)
    const stop = this.watch(child, process)
    if (door === "rpc") {
      const { client, ready } = connecting.stdioClient(child)
      await Promise.race([ready, failure(child)])
      const readyMs = clockMs() - begun
      return { process, readyMs, address: "", connect: () => connecting.newRpcSession(client), first: client, stop }
    }
    const isHost = kind === "ours" && door !== "ws"
    const line = await Promise.race([isHost ? connecting.hostSocket(home, child) : firstLine(child), failure(child)])
    const address = addressIn(line)
    return {
      process,
      readyMs: clockMs() - begun,
      address,
      connect: () => this.#client(door, kind, address, home),
      stop,
    }
  }

  /** Called when the world is closed. */
  onClose(close: () => Promise<void>): void {
    this.#others.push(close)
  }

  /** Ends the process with the world; returns what ends it before. */
  watch(child: ChildProcess, process: RunningProcess): () => Promise<void> {
    this.#children.add(process)
    child.stdin?.on("error", () => {}) // that it has ended is the error
    failure(child).catch((fault: unknown) => {
      if (!this.#children.delete(process)) return
      this.#failure.reject(fault)
      this.#failure = newFailure()
    })
    return async () => {
      this.#children.delete(process)
      await process.stop()
    }
  }

  /** Command and arguments of the bare relay. */
  bareFor(door: Door | "run", format: Format = "chat", last = ""): [string, ...string[]] {
    const database = this.path(`bare-${(this.#count += 1)}.db`)
    return [process.execPath, this.#relay, door, format, `${this.providerUrl}/v1`, database, last]
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Also while something is measured. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #client(door: Door, kind: Kind, address: string, home: string) {
    if (door === "ws") return connecting.socketClient(address)
    if (door === "house") return connecting.houseClient(address, this.folder)
    if (kind === "bare") return connecting.viewerClient(address)
    const session = await connecting.newHouseSession(address, this.folder)
    return connecting.viewerClient(join(home, "sessions", `${session}.sock`))
  }

  async #end(): Promise<void> {
    const running = [...this.#children, this.#provider]
    this.#children.clear()
    await Promise.all(running.map((child) => child.stop()))
    await Promise.all(this.#others.map((close) => close()))
    await this.endHelpers()
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Hosts, log writers and tools that still run for a home of this run. */
  async endHelpers(home = this.#root): Promise<void> {
    const left = () => processesWith(`TURNHOUSE_HOME=${home}`)
    for (const pid of left()) signal(pid, "SIGTERM")
    for (const deadline = clockMs() + ENDING_MS; left().length > 0 && clockMs() < deadline;) await pause(20)
    for (const pid of left()) signal(pid, "SIGKILL")
  }
}

function newFailure() {
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {}) // each measurement waits for this promise as well
  return failed
}

function oursFor(door: Door): [string, ...string[]] {
  if (door === "rpc") return [turnhouse, "rpc"]
  return door === "ws" ? [turnhouse, "serve", "--port", "0", "--quiet"] : [turnhouse, "host"]
}

function addressIn(line: string): string {
  const address = line.replace("listening on ", "")
  return address.startsWith("http") ? `${address.replace("http", "ws")}/ws` : address
}

export function firstLine(child: ChildProcess): Promise<string> {
  return lineWith(child, "")
}

/** The first line with this text. The stdout of the child is read on, and thrown away. */
export async function lineWith({ stdout }: ChildProcess, text: string): Promise<string> {
  if (stdout === null) throw new Error("the process has no output")
  return new Promise((resolve) =>
    createInterface({ input: stdout }).on("line", (line) => line.includes(text) && resolve(line)),
  )
}

/** Rejects when the process ends. */
export function failure(child: ChildProcess): Promise<never> {
  let errors = ""
  child.stderr?.on("data", (piece: Buffer) => (errors = (errors + piece.toString()).slice(-2000)))
  return new Promise((_, reject) => {
    child.on("error", reject)
    child.on("exit", (code, name) =>
      reject(new Error(`${child.spawnargs.join(" ")} ended (${code ?? name}): ${errors}`)),
    )
  })
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended in the meantime
  }
}
