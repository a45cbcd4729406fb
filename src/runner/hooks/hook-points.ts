// The points at which a session calls its extensions: around tool calls, before requests to the model, after answers and
// compactions, and when the session starts and ends on this host. Child sessions use the extensions of their root, with a
// null session id. Extensions are notified only of what is stored.
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import { extensionModelName, type ExtensionModel } from "../../contract/rules/extension-model.ts"
import { ownFields } from "../../contract/rules/tool-spellings.ts"
import type { SessionId } from "../../contract/ids.ts"
import { shortened } from "../../contract/text/text.ts"
import type { JsonValue, Usage } from "../../contract/values.ts"
import type { ExtensionStatus } from "../../hooks/hosted-extension.ts"
import type { CommandAnswer } from "../../contract/host-commands.ts"
import type { CommandRun, ExtensionCommand } from "../../hooks/commands/plugin-command.ts"
import type { SessionHooks } from "../../hooks/session-hooks.ts"
import { limitsOf } from "../../models/model-limits.ts"
import { allEfforts } from "../../models/thinking/efforts.ts"
import { planThinking } from "../../models/thinking/plan.ts"
import { ModelUnavailable, type ModelChoice } from "../../models/model-source.ts"
import { contextItems, mainTrack, type Context } from "../../projection/context.ts"
import type { SessionState } from "../../session/state.ts"
import type { Tool, ToolResult } from "../../tools/tool.ts"
import { extensionTools } from "./extension-tools.ts"
import type { Verdict } from "../tools/verdict.ts"
import type { ContextItem } from "../../contract/views/context.ts"

/** The extensions of a tree of sessions, shared by its members. Each `enter` needs a `leave`. */
export interface HookSource {
  enter(rootId: SessionId): SessionHooks
  leave(rootId: SessionId): Promise<void>
}

/** Additions to one request to the model; they are not stored. */
export interface RequestAdditions {
  readonly system?: string | undefined
  readonly message?: string | undefined
}

/** A shell hook keeps the newest prompt from the model. */
export class PromptRefused extends Error {
  override readonly name = "PromptRefused"

  constructor(reason: string) {
    super(`A hook refused the prompt: ${shortened(reason, MAX_REASON_LENGTH)}`)
  }
}

const MAX_REASON_LENGTH = 2000

type Notification = (hooks: SessionHooks, sessionId: SessionId | null) => Promise<void>

export class HookPoints {
  readonly #source: HookSource
  readonly #hooks: SessionHooks
  readonly #id: SessionId
  readonly #rootId: SessionId
  readonly #otherTools: readonly Tool[]
  #tools: readonly Tool[] = []
  readonly #runtimeNames = new Map<string, string>()
  /** Resolves when all notifications so far were delivered. */
  #delivered: Promise<void> = Promise.resolve()

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

  /** Tools of the extensions that had loaded when `ready` was last called, by the names that models use. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  get statuses(): readonly ExtensionStatus[] {
    return this.#hooks.statuses
  }

  /** Typed commands, besides those of the door. */
  get commands(): readonly ExtensionCommand[] {
    return this.#hooks.commands
  }

  /** Never rejects. */
  runCommand(name: string, args: readonly string[], run: CommandRun): Promise<CommandAnswer> {
    return this.#hooks.runCommand(name, args, run)
  }

  /** Resolves when the extensions had their time to load; their tools are then available. */
  async ready(): Promise<void> {
    await this.#hooks.ready()
    await this.#takeTools()
  }

  /** Like `ready`, for at most this long. */
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

  /** A model of an extension: as large as it says, at an unknown price. */
  async model(parts: ExtensionModel): Promise<ModelChoice> {
    const name = extensionModelName(parts)
    const found = await this.#hooks.model(parts)
    if (found.kind === "missing") throw new ModelUnavailable(`Model ${name} is not available: ${found.reason}.`)
    const { language: model, contextWindow, takesTools } = found.model
    const { maxTotal, ...limits } = limitsOf("openai-compatible", parts.model, { contextWindow })
    const thinkingModel = { name, id: parts.model, type: "openai-compatible", maxTotal, efforts: allEfforts } as const
    const thinking: ModelChoice["thinking"] = (level, maxOutput) => planThinking(thinkingModel, level, maxOutput)
    return { name, model, ...limits, takesTools, takesPrefill: false, thinking, costUsd: () => undefined }
  }

  async judge(tool: Tool, input: JsonValue, wasModified: boolean): Promise<Verdict | undefined> {
    await this.#delivered
    const ruling = await this.#hooks.beforeToolCall(this.#hookCall(tool, input), this.#hookId, wasModified)
    switch (ruling.kind) {
      case "continue":
        return undefined
      case "block":
        return { kind: "refuse", by: ruling.by, reason: `Tool call blocked by extension: ${ruling.reason}` }
      case "confirm":
        return { kind: "ask", reason: `${ruling.by}: ${ruling.message}`, audience: "driver", causes: ["extension"] }
      case "modify":
        return { kind: "modify", by: ruling.by, input: ownFields(tool.name, ruling.input) }
    }
  }

  /** The result to store: an extension may replace the output, never the outcome. */
  async after(tool: Tool, input: JsonValue, result: ToolResult): Promise<ToolResult> {
    const hookOutput = result.outcome === "done" ? result.output : `Tool execution failed: ${result.output}`
    const output = await this.#hooks.afterToolCall(this.#hookCall(tool, input), hookOutput, this.#hookId)
    return output === undefined ? result : { ...result, output }
  }

  /** Throws PromptRefused. */
  async beforeRequest(items: readonly ContextItem[]): Promise<RequestAdditions> {
    await this.ready()
    const text = newestText(items)
    const message = text === undefined ? undefined : await this.#hooks.beforeMessage(text, this.#hookId)
    if (typeof message === "object") throw new PromptRefused(message.reason)
    return { system: this.#hooks.systemText, message }
  }

  /** Notifications about events that are about to be stored. The context is the one before them. */
  notificationsOf(
    events: readonly SessionEvent[],
    at: number,
    context: Context,
    state: SessionState,
  ): readonly Notification[] {
    return events.flatMap((event): Notification[] => {
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

  notify(notifications: readonly Notification[]): void {
    for (const deliver of notifications)
      this.#delivered = this.#delivered.then(() => deliver(this.#hooks, this.#hookId))
  }

  /** After `closed` the extensions are notified of the end; after `lost` they are not. */
  async close(ending: "closed" | "lost", context: Context): Promise<void> {
    if (ending === "closed") await this.#delivered
    if (this.#isRoot && ending === "closed") await this.#hooks.end(this.#id, contextItems(context, mainTrack))
    await this.#source.leave(this.#rootId)
  }

  #hookCall({ name }: Tool, input: JsonValue) {
    return { name, runtimeName: this.#runtimeNames.get(name) ?? name, input }
  }

  get #isRoot(): boolean {
    return this.#rootId === this.#id
  }

  get #hookId(): SessionId | null {
    return this.#isRoot ? this.#id : null
  }
}

/** The text of a person's message that the model has not answered yet. */
function newestText(items: readonly ContextItem[]): string | undefined {
  const newest = items.findLast((item) => item.kind !== "assistant" || item.parts.length > 0)
  return newest?.kind === "user" && newest.text !== "" ? newest.text : undefined
}

/** The events of an answer are stored in one append. */
function answered(
  response: EventOf<"response.ended">,
  events: readonly SessionEvent[],
  at: number,
  state: SessionState,
): Notification[] {
  const blocks = events.filter(
    (event) => event.type === "text.ended" || event.type === "reasoning.ended" || event.type === "tool.called",
  )
  const texts = blocks.flatMap((event) => (event.type === "text.ended" ? [event.text] : []))
  const hasToolUse = blocks.some((event) => event.type === "tool.called")
  const message = { text: texts.join("\n"), blocks: blocks.length, hasToolUse }
  const complete: Notification = (hooks, sessionId) => hooks.messageComplete(message, sessionId)
  const { usage } = response
  if (usage === undefined) return [complete]
  const usageEvent = {
    ...usageData(response, usage),
    turn_id: state.turn?.id ?? null,
    occurred_at: new Date(at).toISOString(),
  }
  return [complete, (hooks, sessionId) => hooks.usage({ ...usageEvent, session_id: sessionId }, sessionId)]
}

function usageData({ stepId, model }: EventOf<"response.ended">, usage: Usage) {
  const slash = model.indexOf("/")
  return {
    provider: slash === -1 ? null : model.slice(0, slash),
    model: model.slice(slash + 1),
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
