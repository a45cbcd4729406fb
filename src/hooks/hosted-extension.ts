// An extension run by the host: started in the background, with a handler per hook of its manifest. Until it has started
// only guards are called; a guard that cannot be called blocks by failing.
import type { JsonValue } from "../contract/values.ts"
import type { HookEvent, ToolSpec } from "../protocols/extension/frames.ts"
import { toolOutput } from "../protocols/extension/hook-events.ts"
import type { Handled, Handler } from "./bus/bus.ts"
import { CommandCalls } from "./commands/command-invoke.ts"
import { type ExtensionSpec, programMark } from "./discovery/discover.ts"
import { Extension, type ExtensionDeps, type Health, type Started } from "./process/extension.ts"
import type { Reply } from "../processes/rpc-process.ts"
import { HookStopwatch, type HookTimes, traceLine } from "./bus/hook-trace.ts"
import type { Subscription } from "./discovery/manifest.ts"
import type { CommandAnswer } from "../contract/host-commands.ts"
import { extensionModels, type ProvidedModel } from "./models/provider-model.ts"

export interface ExtensionStatus {
  readonly id: string
  /** Absent for a missing guard. */
  readonly folder: string | undefined
  readonly health: Health
  /** Whether its files have changed since it was loaded. */
  readonly isOutdated: boolean
  readonly isGuard: boolean
  readonly permissions: readonly string[]
  readonly hooks: readonly string[]
  /** Models it registered; none before it has started. */
  readonly models: readonly ListedModel[]
  readonly pid: number | undefined
  readonly restarts: number
  readonly lastFault: string | undefined
  readonly times: HookTimes
}

export interface ListedModel {
  readonly name: string
  readonly displayName: string
  readonly contextWindow: number | null
}

export interface HostedExtension {
  readonly id: string
  readonly isGuard: boolean
  readonly started: Promise<Started>
  /** Handlers that may be called now, in the order of the manifest. */
  readonly handlers: readonly Handler[]
  /** The same, including those of a guard whose drill fails. */
  readonly drillHandlers: readonly Handler[]
  /** Tools and models it registered; none before it has started. */
  readonly tools: readonly ToolSpec[]
  readonly models: readonly ProvidedModel[]
  readonly status: ExtensionStatus
  callTool(name: string, input: JsonValue, signal: AbortSignal): Promise<ToolAnswer>
  /** Runs a slash command by its name in the manifest. */
  invokeCommand(command: string, args: readonly string[], signal: AbortSignal): Promise<CommandAnswer>
  stop(): Promise<void>
}

export type ToolAnswer =
  | { readonly kind: "done"; readonly output: string }
  | { readonly kind: "failed"; readonly reason: string }

/** The controller is aborted when the extension is stopped. */
export function hostExtension(
  spec: ExtensionSpec,
  isGuard: boolean,
  deps: ExtensionDeps,
  stopper: AbortController,
  guardProblem: () => Promise<string | undefined> | undefined = () => undefined,
): HostedExtension {
  const commands = new CommandCalls((...args) => extension.request(...args), deps.timing.commandMs)
  const extension: Extension = new Extension(spec, {
    ...deps,
    notice: (notice) => {
      commands.handleNotice(notice)
      deps.notice(notice)
    },
  })
  const started = extension.start()
  const mark = programMark(spec)
  const stopwatch = new HookStopwatch()
  const handle = async (event: HookEvent, from: "asked" | "written"): Promise<Handled> => {
    const loaded = from === "written" ? await started : undefined
    if (loaded?.kind === "failed") return { kind: "failed", reason: loaded.reason }
    const startedAt = deps.clock.now()
    const reply = await extension.request("hook.handle", event, { ms: deps.timing.hookMs, from })
    const ms = deps.clock.now() - startedAt
    stopwatch.add(ms)
    if (deps.trace === true) deps.debug(traceLine(event, reply, ms, extension))
    return handled(reply, deps.timing.hookMs)
  }
  const guarded = async (event: HookEvent, from: "asked" | "written"): Promise<Handled> => {
    const problem = from === "written" ? await guardProblem() : undefined
    return problem === undefined ? handle(event, from) : { kind: "failed", reason: `it failed its drill: ${problem}` }
  }
  const handlersWith = (ask: typeof handle) =>
    spec.subscriptions.map((subscription) => handlerFor(spec, subscription, isGuard, ask))
  const handlers = handlersWith(guarded)
  let usable = handlers.filter((handler) => handler.isGuard)
  let tools: readonly ToolSpec[] = []
  let models: readonly ProvidedModel[] = []
  const line = {
    extension: spec.id,
    request: extension.request.bind(extension),
    ms: deps.timing.providerMs,
    debug: deps.debug,
  }
  void started.then((result) => {
    if (result.kind === "failed") return false
    usable = handlers
    tools = result.tools
    models = extensionModels(result.providers, line)
    return true
  })
  return {
    id: spec.id,
    isGuard,
    started,
    get handlers() {
      return usable
    },
    drillHandlers: handlersWith(handle),
    get tools() {
      return tools
    },
    get models() {
      return models
    },
    get status() {
      return statusOf(extension, models, isGuard, programMark(spec) !== mark, stopwatch.times)
    },
    callTool: async (name, input, signal) => {
      const limit = { ms: deps.timing.toolMs, from: "asked", once: true, signal } as const
      return answered(await extension.request("tool.call", { name, input }, limit), deps.timing.toolMs)
    },
    invokeCommand: (command, args, signal) => commands.invoke(command, args, signal),
    stop: () => {
      stopper.abort()
      return extension.stop()
    },
  }
}

/** Stands in for a guard that cannot run: blocks every call until the user fixes the cause. */
export function missingGuard(id: string, reason: string): HostedExtension {
  const blockReason = `${reason}; every call is blocked until that is fixed`
  const handle = () => Promise.resolve<Handled>({ kind: "failed", reason: blockReason })
  const common = { tool: undefined, match: undefined, mayReplace: false, isGuard: true }
  return {
    id,
    isGuard: true,
    started: Promise.resolve<Started>({ kind: "failed", reason }),
    handlers: [{ ...common, extension: id, kind: "before_tool_call", handle }],
    drillHandlers: [],
    status: {
      id,
      folder: undefined,
      health: "failed",
      isOutdated: false,
      isGuard: true,
      permissions: [],
      hooks: [],
      models: [],
      pid: undefined,
      restarts: 0,
      lastFault: reason,
      times: new HookStopwatch().times,
    },
    tools: [],
    models: [],
    callTool: () => Promise.resolve<ToolAnswer>({ kind: "failed", reason }),
    invokeCommand: () => Promise.resolve<CommandAnswer>({ kind: "failed", why: reason }),
    stop: () => Promise.resolve(),
  }
}

/** A guard differs from other handlers only where a call can be blocked. */
function handlerFor(
  spec: ExtensionSpec,
  subscription: Subscription,
  guards: boolean,
  handle: (event: HookEvent, from: "asked" | "written") => Promise<Handled>,
): Handler {
  const isGuard = guards && subscription.kind === "before_tool_call"
  return {
    ...subscription,
    extension: spec.id,
    isGuard,
    mayReplace: spec.permissions.has("tools.transform_output"),
    handle: (event) => handle(event, isGuard ? "written" : "asked"),
  }
}

function handled(reply: Reply, ms: number): Handled {
  return reply.kind === "result" ? reply : { kind: "failed", reason: failureReason(reply, ms) }
}

/** The extension's own failure text is the result, unchanged. */
function answered(reply: Reply, ms: number): ToolAnswer {
  if (reply.kind === "result") return { kind: "done", output: toolOutput(reply.value) }
  return {
    kind: "failed",
    reason: reply.kind === "error" ? reply.message : `The extension failed: ${failureReason(reply, ms)}.`,
  }
}

function failureReason(reply: Exclude<Reply, { kind: "result" }>, ms: number): string {
  switch (reply.kind) {
    case "error":
      return `it answered with an error: ${reply.message}`
    case "fault":
      return reply.reason
    case "given-up":
      return `it did not answer within ${ms / 1000} s`
  }
}

function statusOf(
  { spec, health, pid, restarts, lastFault }: Extension,
  models: readonly ProvidedModel[],
  isGuard: boolean,
  isOutdated: boolean,
  times: HookTimes,
): ExtensionStatus {
  return {
    id: spec.id,
    folder: spec.folder,
    health,
    isOutdated,
    isGuard,
    permissions: [...spec.permissions],
    hooks: spec.subscriptions.map(({ kind }) => kind),
    models: models.map(({ name, displayName, contextWindow = null }) => ({ name, displayName, contextWindow })),
    pid,
    restarts,
    lastFault,
    times,
  }
}
