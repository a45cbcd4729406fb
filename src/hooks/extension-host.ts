// Runs the extensions of a host: one process per extension and session tree, or one for all trees where it is shared.
// Starts them with the first session of a tree and stops them with the last. Missing guards block.
import { messageOf } from "../contract/faults.ts"
import type { SessionId } from "../contract/ids.ts"
import type { ProcessSupervisor } from "../processes/process-supervisor.ts"
import type { Warn } from "./bus/bus.ts"
import { systemClock, timedOut, withTimeout, type Clock, timing as usualTiming, type Timing } from "./process/clock.ts"
import type { Discovered, ExtensionSpec } from "./discovery/discover.ts"
import { Drill, type Canary, type DrillDeps } from "./bus/drill.ts"
import type { ExtensionDeps } from "./process/extension.ts"
import { hostExtension, missingGuard, type HostedExtension } from "./hosted-extension.ts"
import type { PluginStarter } from "./process/plugin-sandbox.ts"
import { serveCall, type CallServices } from "./serve-calls.ts"
import { SessionCommands } from "./commands/session-commands.ts"
import { SessionHooks, type SessionHooksOptions, Warnings } from "./session-hooks.ts"
import type { ShellHooks } from "./shell/shell-hooks.ts"
import { SharedExtensions } from "./shared-extensions.ts"

/** Which extensions a session has. */
export interface ExtensionPlan extends Pick<SessionHooksOptions, "autoApproves"> {
  readonly found: Discovered
  /** Guards by id. */
  readonly failClosed: readonly string[]
  readonly disabled: readonly string[]
  readonly shared: readonly string[]
  readonly canaries: Readonly<Record<string, Canary>>
  /** Starts processes of plugins. */
  readonly starter: PluginStarter
  /** Shell commands of the configuration. */
  readonly shellHooks?: ShellHooks | undefined
}

export interface ExtensionHostDeps extends Pick<SessionHooksOptions, "hidesSession" | "replaced"> {
  readonly processes: ProcessSupervisor
  readonly release: string
  /** For the user. */
  readonly alarm: Warn
  /** For the extension's log. */
  readonly debug: (extension: string, line: string) => void
  /** For requests of extensions. */
  readonly services: CallServices
  readonly clock?: Clock
  readonly timing?: Timing
  /** Whether each hook call writes a trace record to the extension's log. */
  readonly trace?: boolean
}

interface Tree {
  readonly hooks: SessionHooks
  readonly shared: readonly HostedExtension[]
  /** Ends shell hooks that run. */
  readonly ended: AbortController
  /** Unsubscribes from the warnings of shared extensions. */
  readonly unfollow: () => void
  sessions: number
}

const ownerOfShared = "extensions"

export class ExtensionHost {
  readonly #deps: ExtensionHostDeps
  readonly #clock: Clock
  readonly #timing: Timing
  readonly #trees = new Map<SessionId, Tree>()
  readonly #shared = new SharedExtensions()
  readonly #sharedWarnings = new WeakMap<HostedExtension, Warnings>()
  #hasReportedLogFault = false

  constructor(deps: ExtensionHostDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? systemClock
    this.#timing = deps.timing ?? usualTiming
  }

  /** A session of the tree opened here. Each `enter` needs a `leave`. */
  enter(rootId: SessionId, plan: () => ExtensionPlan): SessionHooks {
    const tree = this.#trees.get(rootId) ?? this.#open(rootId, plan())
    tree.sessions++
    this.#trees.set(rootId, tree)
    return tree.hooks
  }

  async leave(rootId: SessionId): Promise<void> {
    const tree = this.#trees.get(rootId)
    if (tree === undefined || --tree.sessions > 0) return
    this.#trees.delete(rootId)
    tree.ended.abort()
    tree.unfollow()
    await Promise.all([tree.hooks.stop(), ...tree.shared.map((hosted) => this.#shared.release(hosted))])
  }

  async close(): Promise<void> {
    const trees = [...this.#trees.values()]
    for (const { ended } of trees) ended.abort()
    const hooks = trees.map((tree) => tree.hooks)
    this.#trees.clear()
    await Promise.all([...hooks, this.#shared].map((one) => one.stop()))
  }

  #open(rootId: SessionId, plan: ExtensionPlan): Tree {
    const { extensions, failures } = plan.found
    const warnings = new Warnings()
    for (const { id, reason, hint } of failures)
      this.#alarm(`extension ${id} was not loaded: ${reason} (${hint}).`, warnings)
    for (const { id, reason } of plan.found.unknown)
      this.#alarm(`extension ${id}: ${reason}; the rest of it works.`, warnings)
    const isShared = ({ id }: ExtensionSpec) => plan.shared.includes(id)
    const owner = `${rootId}.extensions`
    const own = extensions.filter((spec) => !isShared(spec)).map((spec) => this.#host(spec, plan, owner, warnings))
    const shared = extensions.filter(isShared).map((spec) => this.#sharedOf(spec, plan))
    const { processes, hidesSession = false, replaced = () => {} } = this.#deps
    const { starter, autoApproves = false } = plan
    const program = { processes, owner, starter, clock: this.#clock, ms: this.#timing.commandMs }
    const ended = new AbortController()
    const hooks = new SessionHooks({
      shellHooks: plan.shellHooks?.handlersFor({ owner, signal: ended.signal }) ?? [],
      commands: new SessionCommands(plan.found.commands, [...own, ...shared], program),
      warnings,
      own: [...own, ...missingGuards(plan)],
      shared,
      clock: this.#clock,
      timing: this.#timing,
      debug: (sentence) => this.#debug("hooks", sentence),
      autoApproves,
      hidesSession,
      replaced,
    })
    const unfollow = shared.map((one) => this.#sharedWarnings.get(one)?.follow((sentence) => warnings.add(sentence)))
    return { hooks, shared, ended, unfollow: () => unfollow.forEach((stop) => stop?.()), sessions: 0 }
  }

  #sharedOf(spec: ExtensionSpec, plan: ExtensionPlan): HostedExtension {
    return this.#shared.take(spec, plan.failClosed.includes(spec.id), () => {
      const warnings = new Warnings()
      const hosted = this.#host(spec, plan, ownerOfShared, warnings)
      this.#sharedWarnings.set(hosted, warnings)
      return hosted
    })
  }

  #host(spec: ExtensionSpec, plan: ExtensionPlan, owner: string, warnings: Warnings): HostedExtension {
    const { failClosed, canaries, starter } = plan
    const isGuard = failClosed.includes(spec.id)
    const alarm = (sentence: string) => this.#alarm(sentence, warnings)
    if (isGuard && !spec.subscriptions.some(({ kind }) => kind === "before_tool_call"))
      alarm(
        `extension ${spec.id} is configured as a guard, but its manifest has no before_tool_call hook: it guards nothing.`,
      )
    const stopper = new AbortController()
    const canary = Object.hasOwn(canaries, spec.id) ? canaries[spec.id] : undefined
    const drill = canary === undefined ? undefined : new Drill()
    const hosted = hostExtension(spec, isGuard, this.#depsFor(spec, owner, starter), stopper, () => drill?.problem())
    void hosted.started.then((started) => {
      const isStopped = hosted.status.health === "stopped"
      if (started.kind === "failed" && !isStopped) alarm(`extension ${spec.id} was not loaded: ${started.reason}.`)
      return undefined
    })
    if (isGuard) void this.#reportSlowStart(hosted, alarm)
    if (canary !== undefined) void drill?.run(hosted, canary, this.#drillDeps(spec, alarm), stopper.signal)
    return hosted
  }

  async #reportSlowStart({ id, started }: HostedExtension, alarm: Warn): Promise<void> {
    const { guardReportMs: ms } = this.#timing
    if ((await withTimeout(started, ms, this.#clock)) !== timedOut) return
    alarm(`the guard ${id} has not answered initialize in ${ms / 1000} s: the calls that it guards wait for it.`)
  }

  #drillDeps({ id }: ExtensionSpec, alarm: Warn): DrillDeps {
    return { clock: this.#clock, everyMs: this.#timing.drillMs, alarm, debug: (line) => this.#debug(id, line) }
  }

  #depsFor(spec: ExtensionSpec, owner: string, { prepare }: PluginStarter): ExtensionDeps {
    const { processes, release, services, trace = false } = this.#deps
    return {
      processes,
      owner,
      prepare,
      release,
      clock: this.#clock,
      timing: this.#timing,
      trace,
      serve: (call) => serveCall(spec, call, services),
      notice: () => {},
      debug: (line) => this.#debug(spec.id, line),
    }
  }

  /** Contains text of extensions: kept on one line, without control characters. */
  #alarm(sentence: string, warnings?: Warnings): void {
    const line = sentence.replaceAll(/[\p{Cc}\s]+/gu, " ")
    this.#deps.alarm(line)
    warnings?.add(line)
  }

  /** A failed log write (full disk) must not fail the operation it is about. */
  #debug(extension: string, line: string): void {
    try {
      this.#deps.debug(extension, line)
    } catch (fault) {
      if (this.#hasReportedLogFault) return
      this.#hasReportedLogFault = true
      const reason = messageOf(fault)
      this.#alarm(`the output of extension ${extension} could not be logged: ${reason}.`)
    }
  }
}

/** A disabled guard blocks, too: configuration refuses to disable one, but settings of synaps can. */
function missingGuards({ found, failClosed, disabled }: ExtensionPlan): readonly HostedExtension[] {
  const foundIds = new Set(found.extensions.map(({ id }) => id))
  return failClosed
    .filter((id) => !foundIds.has(id))
    .map((id) => {
      const reason = found.failures.find((failure) => failure.id === id)?.reason
      return missingGuard(
        id,
        reason ?? (disabled.includes(id) ? "it is disabled" : "there is no extension of that name"),
      )
    })
}
