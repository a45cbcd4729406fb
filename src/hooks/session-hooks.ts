// The hooks of one tree of sessions: its extensions, asked in the order of their ids, at the points where the runner
// calls. Nothing is asked before the extensions had their time to load and the start of the session was told. Child
// sessions pass null for their id, and only the root's start and end are told.
import type { ExtensionModel } from "../contract/extension-model.ts"
import type { JsonValue } from "../contract/values.ts"
import type { HookEvent, HookKind } from "../protocols/extension/frames.ts"
import * as events from "../protocols/extension/hook-events.ts"
import { messageCount, messagesOf } from "../protocols/rpc/messages.ts"
import { compareBytes } from "../protocols/extension/sorted-json.ts"
import {
  collect,
  replaceOutput,
  ruleOfGuards,
  ruleOn,
  tell,
  tellAtOnce,
  type Handler,
  type Ruling,
  type Warn,
} from "./bus/bus.ts"
import { within, type Clock } from "./process/clock.ts"
import type { ExtensionStatus, HostedExtension, ToolAnswer } from "./hosted-extension.ts"
import { findModel, type FoundModel } from "./models/model-lookup.ts"
import type { Replacement } from "./bus/intercept-log.ts"
import type { CommandAnswer } from "../contract/typed-commands.ts"
import type { CommandRun, ExtensionCommand } from "./commands/plugin-command.ts"
import type { SessionCommands } from "./commands/session-commands.ts"
import type { Timing } from "./process/timing.ts"
import { Warnings } from "./bus/warnings.ts"

export interface SessionHooksOptions {
  /** Those of this tree alone: they end with it. */
  readonly own: readonly HostedExtension[]
  /** Those that serve other sessions too. */
  readonly shared: readonly HostedExtension[]
  readonly clock: Clock
  readonly timing: Timing
  /** For whoever looks into an extension. */
  readonly debug: Warn
  /** What people may type. */
  readonly commands?: SessionCommands
  readonly warnings?: Warnings
  /** The user has said yes in advance to whatever an extension that is no guard would ask. */
  readonly autoApproves?: boolean
  /** Hooks about tools and messages are not told which session it is. */
  readonly hidesSession?: boolean
  /** Told of every output that an extension puts in the place of a tool's. */
  readonly replaced?: (replacement: Replacement) => void
}

const goOn: Ruling = { kind: "continue" }
const nobody: readonly Handler[] = []

/** A tool that an extension brings. */
export interface ExtensionTool {
  /** `extension:tool` */
  readonly runtimeName: string
  readonly description: string
  readonly inputSchema: JsonValue
  call(input: JsonValue, signal: AbortSignal): Promise<ToolAnswer>
}

/** Null in a child session. */
type SessionId = string | null
/** What a model would be sent of a session. */
type Said = Parameters<typeof messagesOf>[0]

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
    this.#loaded = within(all, options.timing.loadMs, options.clock)
  }

  /** What extensions add to the system prompt, the same for as long as the session is open. */
  get systemText(): string | undefined {
    return this.#systemText
  }

  get statuses(): readonly ExtensionStatus[] {
    return this.#extensions.map(({ status }) => status)
  }

  /** Those of the extensions that have loaded so far. */
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

  /** A model that an extension brings. */
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

  /** The root session is open here. Whoever loads later hears of it then. */
  begin(sessionId: string): void {
    this.#ready ??= this.#begin(events.onSessionStart(sessionId))
  }

  /** Resolves when a model may be asked. */
  async ready(): Promise<void> {
    if (!this.#isReady) await (this.#ready ?? this.#loaded)
  }

  /** Resolves when all extensions have loaded or failed, or when this has taken too long. */
  async loadedWithin(ms: number): Promise<void> {
    await within(this.#loaded, ms, this.#options.clock)
  }

  /** With `guardsOnly` for an input that a handler has changed: the others have had their say. */
  async beforeToolCall(tool: events.HookedTool, sessionId: SessionId, guardsOnly = false): Promise<Ruling> {
    const handlers = await this.#asked("before_tool_call")
    if (handlers.length === 0) return goOn
    const guards = handlers.filter((handler) => handler.isGuard)
    const event = events.beforeToolCall(tool, this.#shown(sessionId))
    const ruling = await ruleOfGuards(guards, event, this.#options.debug)
    if (guardsOnly) return changedOnceOnly(ruling)
    if (ruling.kind !== "continue" || guards.length === handlers.length) return ruling
    const others = handlers.filter((handler) => !handler.isGuard)
    const said = await ruleOn(others, event, this.#options.debug)
    return said.kind === "confirm" && this.#options.autoApproves === true ? goOn : said
  }

  /** What the model gets instead of the output, if an extension wants that. */
  async afterToolCall(tool: events.HookedTool, output: string, sessionId: SessionId): Promise<string | undefined> {
    const handlers = await this.#asked("after_tool_call")
    if (handlers.length === 0) return undefined
    const event = events.afterToolCall(tool, output, this.#shown(sessionId))
    const replaced = await replaceOutput(handlers, event, this.#options.debug)
    if (replaced === undefined) return undefined
    const sizes = { observed: Buffer.byteLength(event.tool_output ?? ""), replaced: Buffer.byteLength(replaced.output) }
    this.#options.replaced?.({ extension: replaced.by, tool: tool.runtimeName, ...sizes })
    return replaced.output
  }

  /** What is to be added to the request, and to nothing else. */
  async beforeMessage(text: string, sessionId: SessionId): Promise<string | undefined> {
    const handlers = await this.#asked("before_message")
    return handlers.length === 0
      ? undefined
      : collect(handlers, events.beforeMessage(text, this.#shown(sessionId)), this.#options.debug)
  }

  async messageComplete(message: events.CompletedMessage, sessionId: SessionId): Promise<void> {
    await this.#tell(events.onMessageComplete(message, this.#shown(sessionId)))
  }

  async compacted(compaction: events.CompactedSession, sessionId: SessionId): Promise<void> {
    await this.#tell(events.onCompaction(compaction, sessionId))
  }

  countMessages(said: Said): number {
    return messageCount(said)
  }

  async usage(data: JsonValue, sessionId: SessionId): Promise<void> {
    await this.#tell(events.onUsage(data, sessionId))
  }

  /** The root session is closed here: it is told, with everything that was said. */
  async end(sessionId: string, said: Said): Promise<void> {
    const handlers = this.#handlers("on_session_end")
    if (handlers.length === 0) return
    await tellAtOnce(handlers, events.onSessionEnd(sessionId, messagesOf(said)), this.#options.debug)
  }

  async stop(): Promise<void> {
    await this.#options.commands?.stop()
    await Promise.all(this.#options.own.map((extension) => extension.stop()))
  }

  #shown(sessionId: SessionId): SessionId {
    return this.#options.hidesSession === true ? null : sessionId
  }

  async #begin(event: HookEvent): Promise<void> {
    await this.#loaded
    const handlers = this.#handlers("on_session_start")
    const heard = new Set(handlers.map(({ extension }) => extension))
    this.#systemText = await collect(handlers, event, this.#options.debug)
    this.#isReady = true
    for (const extension of this.#extensions) if (!heard.has(extension.id)) void this.#tellLater(extension, event)
  }

  async #tellLater(extension: HostedExtension, event: HookEvent): Promise<void> {
    await extension.started
    await tell(extension.handlers, event, this.#options.debug)
  }

  async #tell(event: HookEvent): Promise<void> {
    await tell(await this.#asked(event.kind), event, this.#options.debug)
  }

  async #asked(kind: HookKind): Promise<readonly Handler[]> {
    if (!this.#isReady) await this.ready()
    return this.#handlers(kind)
  }

  #handlers(kind: HookKind): readonly Handler[] {
    if (this.#extensions.length === 0) return nobody
    return this.#extensions.flatMap(({ handlers }) => handlers.filter((handler) => handler.kind === kind))
  }
}

/** A guard that changes what was changed already would go on for ever. */
function changedOnceOnly(ruling: Ruling): Ruling {
  if (ruling.kind !== "modify") return ruling
  const reason = `the guard '${ruling.by}' would change an input that was changed already`
  return { kind: "block", by: ruling.by, reason }
}
