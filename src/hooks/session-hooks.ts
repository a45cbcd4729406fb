// Hooks of one session tree: calls its extensions in the order of their ids. Waits for extensions to load and for the
// start of the session to be announced. Child sessions pass a null id; only the root's start and end are announced.
import type { ExtensionModel } from "../contract/rules/extension-model.ts"
import type { JsonValue } from "../contract/values.ts"
import type { HookEvent, HookKind } from "../protocols/extension/frames.ts"
import * as events from "../protocols/extension/hook-events.ts"
import { messageCount, messagesOf } from "../protocols/rpc/responses.ts"
import { compareBytes } from "../protocols/extension/sorted-json.ts"
import {
  collect,
  replaceOutput,
  decideByGuards,
  decideOn,
  notify,
  notifyInParallel,
  type Handler,
  type PromptRefusal,
  type Ruling,
  type Warn,
} from "./bus/bus.ts"
import { withTimeout, type Clock, type Timing } from "./process/clock.ts"
import type { ExtensionStatus, HostedExtension, ToolAnswer } from "./hosted-extension.ts"
import { findModel, type FoundModel } from "./models/provider-model.ts"
import type { Replacement } from "./bus/intercept-log.ts"
import type { CommandAnswer } from "../contract/host-commands.ts"
import type { CommandRun, ExtensionCommand } from "./commands/plugin-command.ts"
import type { SessionCommands } from "./commands/session-commands.ts"

export interface SessionHooksOptions {
  /** Extensions of this tree only: they end with it. */
  readonly own: readonly HostedExtension[]
  /** Extensions shared with other trees. */
  readonly shared: readonly HostedExtension[]
  readonly clock: Clock
  readonly timing: Timing
  /** For the extension's log. */
  readonly debug: Warn
  /** Shell commands of the configuration; they come after the extensions. */
  readonly shellHooks?: readonly Handler[]
  /** Slash commands. */
  readonly commands?: SessionCommands
  readonly warnings?: Warnings
  /** The user confirmed in advance what an extension that is not a guard would ask. */
  readonly autoApproves?: boolean
  /** Tool and message hooks get no session id. */
  readonly hidesSession?: boolean
  /** Called for every tool output that an extension replaces. */
  readonly replaced?: (replacement: Replacement) => void
}

const continueCall: Ruling = { kind: "continue" }
const noHandlers: readonly Handler[] = []

/** A tool of an extension. */
export interface ExtensionTool {
  /** `extension:tool` */
  readonly runtimeName: string
  readonly description: string
  readonly inputSchema: JsonValue
  call(input: JsonValue, signal: AbortSignal): Promise<ToolAnswer>
}

/** Null in a child session. */
type SessionId = string | null
/** Messages and tools of the next model call. */
type Conversation = Parameters<typeof messagesOf>[0]

export class SessionHooks {
  readonly warnings: Warnings
  readonly #options: SessionHooksOptions
  readonly #extensions: readonly HostedExtension[]
  readonly #loaded: Promise<unknown>
  #ready: Promise<void> | undefined
  #isReady = false
  #systemText: string | undefined

  constructor(options: SessionHooksOptions) {
    this.#options = options
    this.warnings = options.warnings ?? new Warnings()
    this.#extensions = [...options.own, ...options.shared].toSorted((a, b) => compareBytes(a.id, b.id))
    const all = Promise.all(this.#extensions.map(({ started }) => started))
    this.#loaded = withTimeout(all, options.timing.loadMs, options.clock)
  }

  /** Additions of extensions to the system prompt; fixed while the session is open. */
  get systemText(): string | undefined {
    return this.#systemText
  }

  get statuses(): readonly ExtensionStatus[] {
    return this.#extensions.map(({ status }) => status)
  }

  /** Tools of the extensions loaded so far. */
  get tools(): readonly ExtensionTool[] {
    return this.#extensions.flatMap((extension) =>
      extension.tools.map(({ name, description, input_schema: inputSchema }) => ({
        runtimeName: `${extension.id}:${name}`,
        description,
        inputSchema,
        call: (input, signal) => extension.callTool(name, input, signal),
      })),
    )
  }

  /** A model of an extension. */
  model(name: ExtensionModel): Promise<FoundModel> {
    return findModel(this.#extensions, name)
  }

  get commands(): readonly ExtensionCommand[] {
    return this.#options.commands?.list ?? []
  }

  /** Never rejects. */
  async runCommand(name: string, args: readonly string[], run: CommandRun): Promise<CommandAnswer> {
    return (await this.#options.commands?.run(name, args, run)) ?? { kind: "unknown" }
  }

  /** The root session was opened. Extensions that load later are notified once they have loaded. */
  begin(sessionId: string): void {
    this.#ready ??= this.#begin(events.onSessionStart(sessionId))
  }

  /** Resolves when a model may be called. */
  async ready(): Promise<void> {
    if (!this.#isReady) await (this.#ready ?? this.#loaded)
  }

  /** Resolves when all extensions have loaded or failed, or on timeout. */
  async loadedWithin(ms: number): Promise<void> {
    await withTimeout(this.#loaded, ms, this.#options.clock)
  }

  /** `guardsOnly` after a handler modified the input: the other handlers have decided already. */
  async beforeToolCall(tool: events.HookedTool, sessionId: SessionId, guardsOnly = false): Promise<Ruling> {
    const handlers = await this.#readyHandlers("before_tool_call")
    if (handlers.length === 0) return continueCall
    const guards = handlers.filter((handler) => handler.isGuard)
    const event = events.beforeToolCall(tool, this.#visibleId(sessionId))
    const ruling = await decideByGuards(guards, event, this.#options.debug)
    if (guardsOnly) return changedOnceOnly(ruling)
    if (ruling.kind !== "continue" || guards.length === handlers.length) return ruling
    const others = handlers.filter((handler) => !handler.isGuard)
    const decision = await decideOn(others, event, this.#options.debug)
    return decision.kind === "confirm" && this.#options.autoApproves === true ? continueCall : decision
  }

  /** The replaced output, if an extension replaces it. */
  async afterToolCall(tool: events.HookedTool, output: string, sessionId: SessionId): Promise<string | undefined> {
    const handlers = await this.#readyHandlers("after_tool_call")
    if (handlers.length === 0) return undefined
    const event = events.afterToolCall(tool, output, this.#visibleId(sessionId))
    const replaced = await replaceOutput(handlers, event, this.#options.debug)
    if (replaced === undefined) return undefined
    const sizes = { observed: Buffer.byteLength(event.tool_output ?? ""), replaced: Buffer.byteLength(replaced.output) }
    this.#options.replaced?.({ extension: replaced.by, tool: tool.runtimeName, ...sizes })
    return replaced.output
  }

  /** Text to add to this request only, or why the prompt must not get to a model. */
  async beforeMessage(text: string, sessionId: SessionId): Promise<string | PromptRefusal | undefined> {
    const handlers = await this.#readyHandlers("before_message")
    return handlers.length === 0
      ? undefined
      : collect(handlers, events.beforeMessage(text, this.#visibleId(sessionId)), this.#options.debug)
  }

  async messageComplete(message: events.CompletedMessage, sessionId: SessionId): Promise<void> {
    await this.#notify(events.onMessageComplete(message, this.#visibleId(sessionId)))
  }

  async compacted(compaction: events.CompactedSession, sessionId: SessionId): Promise<void> {
    await this.#notify(events.onCompaction(compaction, sessionId))
  }

  countMessages(conversation: Conversation): number {
    return messageCount(conversation)
  }

  async usage(data: JsonValue, sessionId: SessionId): Promise<void> {
    await this.#notify(events.onUsage(data, sessionId))
  }

  /** The root session was closed: extensions get the whole conversation. */
  async end(sessionId: string, conversation: Conversation): Promise<void> {
    const handlers = this.#handlers("on_session_end")
    if (handlers.length === 0) return
    await notifyInParallel(handlers, events.onSessionEnd(sessionId, messagesOf(conversation)), this.#options.debug)
  }

  async stop(): Promise<void> {
    await this.#options.commands?.stop()
    await Promise.all(this.#options.own.map((extension) => extension.stop()))
  }

  #visibleId(sessionId: SessionId): SessionId {
    return this.#options.hidesSession === true ? null : sessionId
  }

  async #begin(event: HookEvent): Promise<void> {
    await this.#loaded
    const handlers = this.#handlers("on_session_start")
    const notifiedIds = new Set(handlers.map(({ extension }) => extension))
    const added = await collect(handlers, event, this.#options.debug)
    this.#systemText = typeof added === "string" ? added : undefined
    this.#isReady = true
    for (const extension of this.#extensions)
      if (!notifiedIds.has(extension.id)) void this.#notifyLater(extension, event)
  }

  async #notifyLater(extension: HostedExtension, event: HookEvent): Promise<void> {
    await extension.started
    await notify(extension.handlers, event, this.#options.debug)
  }

  async #notify(event: HookEvent): Promise<void> {
    await notify(await this.#readyHandlers(event.kind), event, this.#options.debug)
  }

  async #readyHandlers(kind: HookKind): Promise<readonly Handler[]> {
    if (!this.#isReady) await this.ready()
    return this.#handlers(kind)
  }

  #handlers(kind: HookKind): readonly Handler[] {
    const { shellHooks = noHandlers } = this.#options
    if (this.#extensions.length + shellHooks.length === 0) return noHandlers
    const all = [...this.#extensions.flatMap(({ handlers }) => handlers), ...shellHooks]
    return all.filter((handler) => handler.kind === kind)
  }
}

/** Repeated modification by guards would not end. */
function changedOnceOnly(ruling: Ruling): Ruling {
  if (ruling.kind !== "modify") return ruling
  const reason = `the guard '${ruling.by}' modified an input that was already modified`
  return { kind: "block", by: ruling.by, reason }
}

/** Warnings kept for later subscribers. */
const MAX_KEPT = 20

/** Warnings about the extensions of a session, also for subscribers that join later. */
export class Warnings {
  readonly #sentences: string[] = []
  readonly #followers = new Set<Warn>()

  add(sentence: string): void {
    if (this.#sentences.length < MAX_KEPT) this.#sentences.push(sentence)
    for (const warn of this.#followers) warn(sentence)
  }

  /** Also gets the earlier warnings. Returns the unsubscribe function. */
  follow(warn: Warn): () => void {
    this.#followers.add(warn)
    this.#sentences.forEach((sentence) => warn(sentence))
    return () => this.#followers.delete(warn)
  }
}
