// One MCP server of a session tree: started when it is first needed, restarted with growing pauses, and asked for its
// tools. It never throws and never waits without a limit: what a server does wrong becomes a status or a failed call.
import type { CallToolRequestOptions, CallToolResult } from "@modelcontextprotocol/client"
import type { GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client"
import { setTimeout as pause } from "node:timers/promises"
import { messageOf } from "../contract/faults.ts"
import type { JsonObject } from "../contract/json-object.ts"
import { oneLine } from "../contract/text/text.ts"
import { connectServer, type ConnectDeps, type Connection } from "./connection/connect.ts"
import { ConnectFault } from "./connection/faults.ts"
import { NeedsLogin } from "./oauth/needs-login.ts"
import { listPrompts, listResources, listTools, type ListedPrompt, type ListedResource } from "./listing/listing.ts"
import type { ListedTool } from "./listing/listing.ts"
import type { McpServer } from "./mcp-server.ts"
import { beginCall, type BegunCall, type CallAsks, type CallOptions } from "./server-call.ts"
import { cutRequest, failedRequest, ofServer, type Answered } from "./request-faults.ts"

export type ServerState = "idle" | "starting" | "ready" | "needs login" | "failed" | "stopped"

export interface ServerStatus {
  readonly name: string
  /** The file that defines it. */
  readonly source: string
  readonly state: ServerState
  readonly tools: number
  /** Of its process, while it has one. */
  readonly pid: number | undefined
  /** How long the last connection took. */
  readonly connectMs: number | undefined
  /** What went wrong last, as a clause about the server. */
  readonly lastError: string | undefined
}

export interface RunningServerDeps extends Omit<ConnectDeps, "handlers"> {
  /** For the user: a sentence. */
  readonly warn: (sentence: string) => void
  readonly now?: () => number
}

interface AskOptions {
  /** Why the request must not be sent, as a sentence. */
  readonly refusal?: () => string | undefined
  /** The time for the answer is over. */
  readonly expired?: AbortSignal
}

/** Pauses before a server that failed is started again. */
const BACKOFF_MS = [0, 1000, 5000, 30_000, 60_000]
/** A list of a server is read in this time. */
const LIST_MS = 10_000
/** A server that has run this long has no failures behind it. */
const STABLE_MS = 60_000
/** Between two lists of tools that a server causes by saying that they changed. */
const REFRESH_MS = 1000
/** Characters of an error of a server. */
const MAX_ERROR_LENGTH = 500
const MAX_REPORTED = 20
const noTools: readonly ListedTool[] = []

export class RunningServer {
  readonly server: McpServer
  readonly #deps: RunningServerDeps
  readonly #stopper = new AbortController()
  #connection: Connection | undefined
  #starting: Promise<void> | undefined
  #state: ServerState = "idle"
  #lastError: string | undefined
  #connectMs: number | undefined
  #failures = 0
  #notBefore = 0
  #readyAt = 0
  #tools: readonly ListedTool[] = noTools
  /** As last announced, like the tools. */
  #capabilities: Connection["capabilities"] = {}
  /** Running calls, the newest last: a server may ask a person only while one runs. */
  readonly #calls = new Set<BegunCall>()
  /** End the requests that wait for an answer. */
  readonly #cutters = new Set<(reason: string) => void>()
  /** Problems of its tools that were reported. */
  readonly #reported = new Set<string>()
  #refreshing: Promise<void> | undefined
  #isStale = false

  constructor(server: McpServer, deps: RunningServerDeps) {
    this.server = server
    this.#deps = deps
  }

  get status(): ServerStatus {
    return {
      name: this.server.name,
      source: this.server.source,
      state: this.#state,
      tools: this.#tools.length,
      pid: this.#connection?.pid,
      connectMs: this.#connectMs,
      lastError: this.#lastError,
    }
  }

  /** As last listed. They stay when the server ends: a call starts it again. */
  get tools(): readonly ListedTool[] {
    return this.#tools
  }

  get hasPrompts(): boolean {
    return this.#capabilities.prompts !== undefined
  }

  get hasResources(): boolean {
    return this.#capabilities.resources !== undefined
  }

  get instructions(): string | undefined {
    return this.#connection?.instructions
  }

  /** Resolves when it is ready or has failed. After a failure it waits longer and longer before it tries again. */
  async start(): Promise<void> {
    if (this.#connection !== undefined || this.#state === "stopped") return
    if (this.#starting === undefined && this.#now() < this.#notBefore) return
    this.#starting ??= this.#launch().finally(() => (this.#starting = undefined))
    await this.#starting
  }

  async call(tool: string, input: JsonObject, options: CallOptions): Promise<Answered<CallToolResult>> {
    const { signal, meta, revision } = options
    await this.#started(signal) // which does not count
    const call = beginCall(this.server.callTimeoutMs, options)
    const { limits, timer } = call
    this.#calls.add(call)
    try {
      return await this.#ask(
        signal,
        ({ client }) =>
          client.callTool(
            { name: tool, arguments: { ...input }, _meta: { ...meta } },
            { ...limits, ...this.#definitionOf(tool) },
          ),
        { refusal: () => this.#changeOf(tool, revision), expired: timer.expired },
      )
    } finally {
      timer.end()
      this.#calls.delete(call)
    }
  }

  /** Which arguments become headers. Without it the SDK would list the tools and send the call a second time. */
  #definitionOf(name: string): Pick<CallToolRequestOptions, "toolDefinition"> {
    const listed = this.#tools.find((tool) => tool.name === name)
    return listed === undefined
      ? {}
      : { toolDefinition: { name, inputSchema: { ...listed.inputSchema, type: "object" } } }
  }

  /** Its tools may have been listed again since the call was approved. */
  #changeOf(tool: string, revision: string | undefined): string | undefined {
    const isSame = revision === undefined || this.#tools.some((one) => one.name === tool && one.revision === revision)
    return isSame
      ? undefined
      : `MCP server '${this.server.name}' has changed this tool since the call was approved. It was not called; call it again.`
  }

  prompts(signal: AbortSignal): Promise<Answered<readonly ListedPrompt[]>> {
    return this.#ask(signal, (connection) =>
      listPrompts(connection, AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])),
    )
  }

  prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<Answered<GetPromptResult>> {
    const timeout = this.server.callTimeoutMs
    return this.#ask(signal, ({ client }) => client.getPrompt({ name, arguments: args }, { signal, timeout }))
  }

  resources(signal: AbortSignal): Promise<Answered<readonly ListedResource[]>> {
    return this.#ask(signal, (connection) =>
      listResources(connection, AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])),
    )
  }

  readResource(uri: string, signal: AbortSignal): Promise<Answered<ReadResourceResult>> {
    const timeout = this.server.callTimeoutMs
    return this.#ask(signal, ({ client }) => client.readResource({ uri }, { signal, timeout, cacheMode: "bypass" }))
  }

  async stop(): Promise<void> {
    if (this.#state === "stopped") return
    this.#state = "stopped"
    this.#stopper.abort(new ConnectFault("it was stopped"))
    await this.#starting
    await this.#connection?.close()
  }

  /** Starts it if needed. A request is sent at most once, and not at all where `refusal` gives a sentence. */
  async #ask<Result>(
    signal: AbortSignal,
    send: (connection: Connection) => Promise<Result>,
    { refusal = () => undefined, expired }: AskOptions = {},
  ): Promise<Answered<Result>> {
    const { name } = this.server
    await this.#started(signal)
    const connection = this.#connection
    if (signal.aborted) return { kind: "failed", reason: "The call was cancelled." }
    if (connection === undefined)
      return ofServer(`MCP server '${name}' cannot be used: ${this.#lastError ?? "it is not running"}.`)
    const refused = refusal()
    if (refused !== undefined) return { kind: "failed", reason: refused }
    const cut = Promise.withResolvers<string>()
    this.#cutters.add(cut.resolve)
    const onFault = (fault: unknown) => void (this.#lastError = errorText(fault))
    const onLost = (reason: string) => {
      this.#cutters.delete(cut.resolve) // this request says more about it
      this.#ended(connection, new ConnectFault(reason))
    }
    const ended = cut.promise.then((reason) => cutRequest(name, reason))
    try {
      const answer = send(connection).then(
        (result): Answered<Result> => ({ kind: "result", result }),
        (fault: unknown) => failedRequest(fault, { server: this.server, signal, expired, ended, onFault, onLost }),
      )
      return await Promise.race([answer, ended])
    } finally {
      this.#cutters.delete(cut.resolve)
    }
  }

  async #started(signal: AbortSignal): Promise<void> {
    await Promise.race([this.start(), aborted(signal)])
  }

  async #launch(): Promise<void> {
    this.#state = "starting"
    const time = AbortSignal.timeout(this.server.startTimeoutMs)
    const signal = AbortSignal.any([time, this.#stopper.signal])
    const startedAt = performance.now()
    try {
      const connection = await connectServer(this.server, { ...this.#deps, handlers: this.#handlers() }, signal)
      this.#connectMs = Math.round(performance.now() - startedAt)
      await this.#adopt(connection, signal)
    } catch (fault) {
      this.#fail(fault)
    }
  }

  async #adopt(connection: Connection, signal: AbortSignal): Promise<void> {
    this.#isStale = false
    try {
      await this.#readTools(connection, signal)
    } catch (fault) {
      await connection.close()
      throw signal.aborted ? new ConnectFault("it did not list its tools in time") : connection.explain(fault)
    }
    if (this.#stopper.signal.aborted) return connection.close()
    this.#connection = connection
    this.#capabilities = connection.capabilities
    this.#state = "ready"
    this.#readyAt = this.#now()
    this.#lastError = undefined
    void connection.closed.then((fault) => this.#ended(connection, fault))
    if (this.#isStale) this.#refresh() // they changed while they were listed
  }

  #ended(connection: Connection, fault: ConnectFault): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#cutters.forEach((cut) => cut(fault.message))
    if (this.#now() - this.#readyAt >= STABLE_MS) this.#failures = 0
    if (this.#state !== "stopped") this.#fail(fault)
    void connection.close()
  }

  #fail(fault: unknown): void {
    if (this.#state === "stopped") return
    this.#state = fault instanceof NeedsLogin ? "needs login" : "failed"
    this.#lastError = errorText(fault)
    this.#notBefore = this.#now() + (BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length - 1)] ?? 0)
    this.#failures++
    const { name } = this.server
    this.#deps.warn(
      fault instanceof NeedsLogin ? `${fault.message}.` : `MCP server '${name}' is not available: ${this.#lastError}.`,
    )
  }

  async #readTools(connection: Connection, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)])
    const { items, problems } = await listTools(connection, limit)
    this.#tools = items
    for (const problem of problems) this.#report(problem)
  }

  #report(problem: string): void {
    if (this.#reported.has(problem) || this.#reported.size >= MAX_REPORTED) return
    this.#reported.add(problem)
    this.#deps.warn(`MCP server '${this.server.name}': ${problem}.`)
  }

  #handlers(): ConnectDeps["handlers"] {
    return {
      elicit: async (params, signal) => {
        const asks = this.#asking()
        return asks === undefined ? { action: "decline" } : this.#hold(asks.elicit(params, signal))
      },
      sample: async (params, signal) => {
        const asks = this.#asking()
        if (asks === undefined)
          throw new Error("A request for sampling is allowed only while a call of the server runs.")
        return this.#hold(asks.sample(params, signal))
      },
      changed: (list) => {
        if (list === "tools") this.#refresh()
      },
    }
  }

  /** A shared server does not say which of its calls it asks for: it must not ask the person of another session. */
  #asking(): CallAsks | undefined {
    const calls = [...this.#calls].map(({ asks }) => asks)
    const isOfOne = new Set(calls.map(({ sessionId }) => sessionId)).size <= 1
    return isOfOne || !this.server.isShared ? calls.at(-1) : undefined
  }

  /** The time of all running calls: a server does not say which of them waits for the answer. */
  #hold<Value>(answer: Promise<Value>): Promise<Value> {
    return [...this.#calls].reduce((held, { timer }) => timer.holdDuring(held), answer)
  }

  /** Several notices at once cause one more list, not one each; a server that never stops causes one a second. */
  #refresh(): void {
    if (this.#refreshing !== undefined || this.#connection === undefined) this.#isStale = true
    else this.#refreshing = this.#readUntilFresh().finally(() => (this.#refreshing = undefined))
  }

  async #readUntilFresh(): Promise<void> {
    const { signal } = this.#stopper
    do {
      this.#isStale = false
      const connection = this.#connection
      if (connection === undefined) return
      await this.#readTools(connection, signal).catch((fault: unknown) => void (this.#lastError = errorText(fault)))
      await pause(REFRESH_MS, undefined, { signal, ref: false }).catch(() => {})
    } while (this.#isStale && !signal.aborted)
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)()
  }
}

function errorText(fault: unknown): string {
  return oneLine(messageOf(fault), MAX_ERROR_LENGTH) || "it gave no reason"
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
}
