// Where a session meets its extensions: before and after a tool call, before a request to the model, after its answer and
// after a compaction, and at the beginning and end of its time on this host. Child sessions have the extensions of their
// root, which know them as a session without an id. What an extension is told of is stored already.
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import { extensionModelName, type ExtensionModel } from "../../contract/extension-model.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { JsonValue, Usage } from "../../contract/values.ts"
import type { ExtensionStatus } from "../../hooks/hosted-extension.ts"
import type { CommandAnswer } from "../../contract/typed-commands.ts"
import type { CommandRun, ExtensionCommand } from "../../hooks/commands/plugin-command.ts"
import type { SessionHooks } from "../../hooks/session-hooks.ts"
import { limitsOf } from "../../models/model-limits.ts"
import { ModelUnavailable, type ModelChoice } from "../../models/model-source.ts"
import { contextItems, mainTrack, type Context } from "../../projection/context.ts"
import type { SessionState } from "../../session/state.ts"
import type { Tool, ToolResult } from "../../tools/tool.ts"
import { extensionTools } from "./extension-tools.ts"
import type { Verdict } from "../tools/verdict.ts"
import type { ContextItem } from "../../contract/views/context.ts"

/** Where a house keeps the extensions of its sessions. Who enters must leave. */
export interface HookSource {
  enter(rootId: SessionId): SessionHooks
  leave(rootId: SessionId): Promise<void>
}

/** What goes with one request to the model and is not stored. */
export interface RequestAdditions {
  readonly system?: string | undefined
  readonly message?: string | undefined
}

type News = (hooks: SessionHooks, sessionId: SessionId | null) => Promise<void>

export class HookPoints {
  readonly #source: HookSource
  readonly #hooks: SessionHooks
  readonly #id: SessionId
  readonly #rootId: SessionId
  readonly #otherTools: readonly Tool[]
  #tools: readonly Tool[] = []
  readonly #runtimeNames = new Map<string, string>()
  /** Resolves when everything that happened so far was told. */
  #told: Promise<void> = Promise.resolve()

  constructor(
    source: HookSource,
    id: SessionId,
    { created }: SessionState,
    otherTools: readonly Tool[],
    warn: (sentence: string) => void = () => {},
  ) {
    this.#source = source
    this.#otherTools = otherTools
    this.#id = id
    this.#rootId = created?.parent?.rootId ?? id
    this.#hooks = source.enter(this.#rootId)
    if (!this.#isRoot) return
    this.#hooks.warnings.follow(warn)
    this.#hooks.begin(id)
  }

  /** Of the extensions that had loaded when `ready` was last asked, by the names that models know. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  get statuses(): readonly ExtensionStatus[] {
    return this.#hooks.statuses
  }

  /** What people may type, besides what their door knows. */
  get commands(): readonly ExtensionCommand[] {
    return this.#hooks.commands
  }

  /** Never rejects. */
  runCommand(name: string, args: readonly string[], run: CommandRun): Promise<CommandAnswer> {
    return this.#hooks.runCommand(name, args, run)
  }

  /** Resolves when the extensions had their time to load, and their tools are at hand. */
  async ready(): Promise<void> {
    await this.#hooks.ready()
    await this.#takeTools()
  }

  /** The tools of those that load in time are at hand; the others are not waited for. */
  async toolsWithin(ms: number): Promise<void> {
    await this.#hooks.loadedWithin(ms)
    await this.#takeTools()
  }

  async #takeTools(): Promise<void> {
    const found = this.#hooks.tools
    if (found.length === this.#tools.length) return
    const made = await extensionTools(found, this.#otherTools)
    this.#tools = made.map(({ tool }) => tool)
    for (const { tool, runtimeName } of made) this.#runtimeNames.set(tool.name, runtimeName)
  }

  /** A model that an extension brings: as large as it says, and of an unknown price. */
  async model(parts: ExtensionModel): Promise<ModelChoice> {
    const name = extensionModelName(parts)
    const found = await this.#hooks.model(parts)
    if (found.kind === "missing") throw new ModelUnavailable(`Model ${name} is not there: ${found.why}.`)
    const { language: model, contextWindow, takesTools } = found.model
    const limits = limitsOf("openai-compatible", parts.model, { contextWindow })
    return { name, model, ...limits, takesTools, takesPrefill: false, costUsd: () => undefined }
  }

  async judge(tool: Tool, input: JsonValue, wasModified: boolean): Promise<Verdict | undefined> {
    await this.#told
    const ruling = await this.#hooks.beforeToolCall(this.#hooked(tool, input), this.#hookId, wasModified)
    switch (ruling.kind) {
      case "continue":
        return undefined
      case "block":
        return { kind: "refuse", by: ruling.by, reason: `Tool call blocked by extension: ${ruling.reason}` }
      case "confirm":
        return { kind: "ask", reason: `${ruling.by}: ${ruling.message}`, audience: "driver", causes: ["extension"] }
      case "modify":
        return { kind: "modify", by: ruling.by, input: ruling.input }
    }
  }

  /** The result as it is stored: an extension may put another output in its place, never another outcome. */
  async after(tool: Tool, input: JsonValue, result: ToolResult): Promise<ToolResult> {
    const said = result.outcome === "done" ? result.output : `Tool execution failed: ${result.output}`
    const output = await this.#hooks.afterToolCall(this.#hooked(tool, input), said, this.#hookId)
    return output === undefined ? result : { ...result, output }
  }

  async beforeRequest(items: readonly ContextItem[]): Promise<RequestAdditions> {
    await this.ready()
    const text = newestWords(items)
    const message = text === undefined ? undefined : await this.#hooks.beforeMessage(text, this.#hookId)
    return { system: this.#hooks.systemText, message }
  }

  /** What there is to tell of events that are about to be stored. The context is the one before them. */
  newsOf(events: readonly SessionEvent[], at: number, context: Context, state: SessionState): readonly News[] {
    return events.flatMap((event): News[] => {
      if (event.type === "response.ended") return answered(event, events, at, state)
      if (event.type !== "context.compacted" || event.summary === "") return []
      const compaction = {
        summary: event.summary,
        messages: this.#hooks.countMessages(contextItems(context)),
        source: state.turn === undefined ? "manual" : "auto",
      }
      return [(hooks, sessionId) => hooks.compacted(compaction, sessionId)]
    })
  }

  tell(news: readonly News[]): void {
    for (const one of news) this.#told = this.#told.then(() => one(this.#hooks, this.#hookId))
  }

  /** `closed` when the session ends its time here in good order; else nobody is told. */
  async leave(manner: "closed" | "lost", context: Context): Promise<void> {
    if (manner === "closed") await this.#told
    if (this.#isRoot && manner === "closed") await this.#hooks.end(this.#id, contextItems(context, mainTrack))
    await this.#source.leave(this.#rootId)
  }

  #hooked({ name }: Tool, input: JsonValue) {
    return { name, runtimeName: this.#runtimeNames.get(name) ?? name, input }
  }

  get #isRoot(): boolean {
    return this.#rootId === this.#id
  }

  get #hookId(): SessionId | null {
    return this.#isRoot ? this.#id : null
  }
}

/** The text of a person's message that nobody has answered yet. */
function newestWords(items: readonly ContextItem[]): string | undefined {
  const newest = items.findLast((item) => item.kind !== "assistant" || item.parts.length > 0)
  return newest?.kind === "user" && newest.text !== "" ? newest.text : undefined
}

/** A model's whole answer is stored at once. */
function answered(
  response: EventOf<"response.ended">,
  events: readonly SessionEvent[],
  at: number,
  state: SessionState,
): News[] {
  const blocks = events.filter(
    (event) => event.type === "text.ended" || event.type === "reasoning.ended" || event.type === "tool.called",
  )
  const texts = blocks.flatMap((event) => (event.type === "text.ended" ? [event.text] : []))
  const hasToolUse = blocks.some((event) => event.type === "tool.called")
  const message = { text: texts.join("\n"), blocks: blocks.length, hasToolUse }
  const complete: News = (hooks, sessionId) => hooks.messageComplete(message, sessionId)
  const { usage } = response
  if (usage === undefined) return [complete]
  const about = {
    ...usageData(response, usage),
    turn_id: state.turn?.id ?? null,
    occurred_at: new Date(at).toISOString(),
  }
  return [complete, (hooks, sessionId) => hooks.usage({ ...about, session_id: sessionId }, sessionId)]
}

function usageData({ stepId, model }: EventOf<"response.ended">, usage: Usage) {
  const cut = model.indexOf("/")
  return {
    provider: cut === -1 ? null : model.slice(0, cut),
    model: model.slice(cut + 1),
    message_id: stepId,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
      cache_creation_5m: usage.cacheWrite5m,
      cache_creation_1h: usage.cacheWrite1h,
    },
    source: "turnhouse",
  }
}
