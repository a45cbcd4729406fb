// The MCP servers of one tree of sessions. They start with the first turn that could use them; a turn waits for them a
// limited time and goes on without those that are late.
import { messageOf } from "../contract/faults.ts"
import type { CommandAnswer } from "../contract/host-commands.ts"
import type { TypedCommand } from "../contract/views/host.ts"
import type { Tool } from "../tools/tool.ts"
import type { ListedTool } from "./listing/listing.ts"
import type { RunningServer, ServerStatus } from "./running-server.ts"
import type { serverTool } from "./tools/server-tool.ts"

/** How long a turn waits for servers that start. */
export const READY_MS = 10_000

/** A prompt of a server must come in this time. */
const PROMPT_MS = 60_000
/** Characters of the instructions of a server that the model gets. */
const MAX_INSTRUCTIONS = 2000
/** Warnings kept for clients that connect later. */
const MAX_KEPT = 20

type Warn = (sentence: string) => void

export class SessionServers {
  readonly #load: () => Promise<readonly RunningServer[]>
  readonly #patienceMs: number
  #loading: Promise<void> | undefined
  #servers: readonly RunningServer[] = []
  /** Time that turns have left for the starts of a server: one that fails slowly does not hold up each step. */
  readonly #patience = new WeakMap<RunningServer, number>()
  /** Loaded with the first servers: most sessions have none. */
  #toolOf: typeof serverTool | undefined
  #resourceTools: readonly Tool[] = []
  #isClosed = false
  readonly #followers = new Set<Warn>()
  readonly #warnings: string[] = []
  /** The tools made of a listing, by server. */
  readonly #made = new Map<RunningServer, { readonly from: readonly ListedTool[]; readonly tools: readonly Tool[] }>()

  /** `load` reads the settings; it is called with the first turn. */
  constructor(load: () => Promise<readonly RunningServer[]>, patienceMs: number = READY_MS) {
    this.#load = load
    this.#patienceMs = patienceMs
  }

  get statuses(): readonly ServerStatus[] {
    return this.#servers.map(({ status }) => status)
  }

  /** Of the servers that have started so far. */
  get tools(): readonly Tool[] {
    const ofServers = this.#servers.flatMap((server) => this.#toolsOf(server))
    return this.#withResources.length === 0 ? ofServers : [...ofServers, ...this.#resourceTools]
  }

  /** What trusted servers say about their use. Text of other servers does not become an instruction. */
  get instructions(): readonly string[] {
    return this.#servers.flatMap(({ server, instructions = "" }) => {
      if (!server.isTrusted || instructions.trim() === "") return []
      return [`## MCP server ${server.name}\n\n${instructions.trim().slice(0, MAX_INSTRUCTIONS).toWellFormed()}`]
    })
  }

  /** Starts those that do not run. Resolves when each is ready or has failed, or when turns have waited for it that long. */
  async ready(signal?: AbortSignal, ms: number = this.#patienceMs): Promise<void> {
    await this.loaded()
    const waiting = this.#servers.filter((running) => running.status.state !== "ready")
    await Promise.all(waiting.map((running) => this.#awaitStart(running, running.start(), ms, signal)))
  }

  async #awaitStart(
    running: RunningServer,
    start: Promise<void>,
    ms: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const patience = this.#patience.get(running) ?? this.#patienceMs
    const wait = Math.min(ms, patience)
    if (wait <= 0) return
    const time = AbortSignal.timeout(wait)
    const limit = signal === undefined ? time : AbortSignal.any([time, signal])
    const startedAt = performance.now()
    await Promise.race([start, aborted(limit)])
    if (signal?.aborted === true) return
    const used = time.aborted ? wait : Math.round(performance.now() - startedAt)
    this.#patience.set(running, Math.max(0, patience - used))
    const { name, state } = running.status
    if (time.aborted && state === "starting")
      this.warn(`MCP server '${name}' is still starting; its tools are missing until then.`)
  }

  /** Reads the settings unless they were read; starts nothing. */
  async loaded(): Promise<void> {
    this.#loading ??= this.#load()
      .then((servers) => this.#take(servers))
      .catch((fault: unknown) => this.warn(`The MCP servers of this session cannot be used: ${messageOf(fault)}`))
    await this.#loading
  }

  async #take(servers: readonly RunningServer[]): Promise<void> {
    if (servers.length === 0 || this.#isClosed) return
    const [ofServers, ofResources] = await Promise.all([
      import("./tools/server-tool.ts"),
      import("./tools/resource-tools.ts"),
    ])
    this.#toolOf = ofServers.serverTool
    this.#resourceTools = ofResources.resourceTools(() => this.#withResources)
    this.#servers = servers
  }

  /** Resolves when no server of this tree runs, except shared ones. */
  async close(isShared: (running: RunningServer) => boolean): Promise<void> {
    this.#isClosed = true
    await this.#loading
    await Promise.all(this.#servers.filter((running) => !isShared(running)).map((running) => running.stop()))
  }

  /** Prompts of the servers that have started so far. */
  async promptCommands(): Promise<readonly TypedCommand[]> {
    const { listPromptCommands } = await import("./prompt-commands.ts")
    return listPromptCommands(this.#servers)
  }

  /** Starts the servers if needed. Never rejects. */
  async runPrompt(name: string, args: readonly string[]): Promise<CommandAnswer> {
    await this.ready()
    const { runPromptCommand } = await import("./prompt-commands.ts")
    return runPromptCommand(this.#servers, name, args, AbortSignal.timeout(PROMPT_MS))
  }

  warn(sentence: string): void {
    if (this.#warnings.length < MAX_KEPT) this.#warnings.push(sentence)
    for (const follower of this.#followers) follower(sentence)
  }

  /** Also gets the earlier warnings. */
  follow(warn: Warn): void {
    this.#followers.add(warn)
    this.#warnings.forEach((sentence) => warn(sentence))
  }

  get #withResources(): readonly RunningServer[] {
    return this.#servers.filter(({ hasResources }) => hasResources)
  }

  #toolsOf(server: RunningServer): readonly Tool[] {
    const from = server.tools
    const known = this.#made.get(server)
    if (known?.from === from) return known.tools
    const toolOf = this.#toolOf
    const tools = toolOf === undefined ? [] : uniqueNames(from.map((listed) => toolOf(server, listed)))
    this.#made.set(server, { from, tools })
    return tools
  }
}

/** A server could give a tool the name that another one gets here: models refuse a request with two of a name. */
function uniqueNames(tools: readonly Tool[]): readonly Tool[] {
  return [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed()
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
}
