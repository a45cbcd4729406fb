// The extensions of each session, by the configuration and folders at the time it is opened. The extension host is loaded
// only if there are any.
import { messageOf } from "../app-fault.ts"
import { existsSync, appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { ConfigFault } from "../../config/faults.ts"
import { trustOf } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import type { Preset } from "../../contract/values.ts"
import type { Discovered } from "../../hooks/discovery/discover.ts"
import type { ExtensionHost, ExtensionPlan } from "../../hooks/extension-host.ts"
import { extensionRoots, synapsFolder, isOff, isOn } from "../../hooks/discovery/extension-roots.ts"
import type { ShellHooks } from "../../hooks/shell/shell-hooks.ts"
import type { PluginStarter } from "../../hooks/process/plugin-sandbox.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { Sandbox } from "../../processes/sandbox.ts"
import type { HookSource } from "../../runner/hooks/hook-points.ts"
import type { Scrubber } from "../../runner/session-context.ts"
import { disabledPlugins } from "./disabled-plugins.ts"
import { discoveryIn, missingFolders, pluginSandbox } from "./discovery.ts"
import { pinRefusal, refusedPlugins, sessionPlugins } from "../plugins/session-plugins.ts"
import { printNotice } from "../terminal.ts"
import { version } from "../../program/program-files.ts"

export interface ExtensionsRequest {
  readonly config: Config
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  readonly cwd: string
  /** The folder whose trust applies. */
  readonly settingsFolder: string
  readonly trusted: boolean
  readonly preset: Preset
  /** Shared extensions of the session's agent, in sessions of the WebSocket API. */
  readonly named: readonly string[]
  readonly scrubber: Scrubber
  /** Environment of tool processes. */
  readonly env: Readonly<Record<string, string>>
}

export class Extensions {
  readonly #home: string
  readonly #processes: ProcessSupervisor
  /** For all configurations: an extension may serve sessions of several. */
  readonly #scrubbers = new Set<Scrubber>()
  /** Warnings that were printed already. */
  readonly #warned = new Set<string>()
  readonly #sandboxes = new Map<string, Sandbox>()
  #host: Promise<ExtensionHost> | undefined

  constructor(home: string, processes: ProcessSupervisor) {
    this.#home = home
    this.#processes = processes
  }

  async for(request: ExtensionsRequest): Promise<HookSource | undefined> {
    const { env } = process
    const { config, cwd, trusted } = request
    const { paths = [], failClosed = [] } = config.extensions ?? {}
    for (const warning of missingFolders(config)) this.#warnOnce(warning)
    const roots = extensionRoots({ env, home: this.#home, cwd, trusted, paths })
    const hasHooks = config.hooks !== undefined && request.preset !== "service"
    if (!hasHooks && failClosed.length === 0 && !roots.some((root) => existsSync(root))) return undefined
    const plan = await this.#plan(roots, request)
    const { extensions, failures, commands } = plan.found
    const hasNone = extensions.length + failures.length + commands.length + failClosed.length === 0
    if (hasNone && plan.shellHooks === undefined) return undefined
    this.#scrubbers.add(request.scrubber)
    const host = await (this.#host ??= this.#openHost())
    return { enter: (rootId) => host.enter(rootId, () => plan), leave: (rootId) => host.leave(rootId) }
  }

  #warnOnce(sentence: string): void {
    if (!this.#warned.has(sentence)) printNotice(`turnhouse: ${sentence}`)
    this.#warned.add(sentence)
  }

  async close(): Promise<void> {
    await (await this.#host)?.close()
  }

  async #plan(roots: readonly string[], request: ExtensionsRequest): Promise<ExtensionPlan> {
    const { config, cwd, preset, named } = request
    const { discover } = await import("../../hooks/discovery/discover.ts")
    const { readSettings } = await import("../../hooks/discovery/resolve-config.ts")
    const { failClosed = [], shared = [] } = config.extensions ?? {}
    const disabled = disabledPlugins(config)
    const refused = new Set((await refusedPlugins(this.#home)).keys())
    const found = discover(discoveryIn(roots, { home: this.#home, cwd, config }, refused))
    const canaries = Object.fromEntries(Object.entries(config.guards ?? {}).map(([id, { canary }]) => [id, canary]))
    const fit =
      preset === "service" ? forService(found, [...shared.filter((id) => named.includes(id)), ...failClosed]) : found
    const autoApproves = isOn(readSettings(join(synapsFolder(process.env), "config")).get("auto_approve_confirms"))
    const [starter, hooks] = await Promise.all([this.#starter(request), this.#shellHooks(request)])
    return { found: fit, failClosed, disabled, shared, canaries, autoApproves, starter, shellHooks: hooks }
  }

  /** Visitors' sessions have none: hooks are made for the user's own work. */
  async #shellHooks(request: ExtensionsRequest): Promise<ShellHooks | undefined> {
    const { config, ownPlaces, cwd, preset, env } = request
    if (preset === "service") return undefined
    const place = { ...request, home: this.#home, env: process.env }
    const plugins = (await sessionPlugins(place)).plugins.filter(({ hooks }) => hooks.length > 0)
    if (config.hooks === undefined && plugins.length === 0) return undefined
    const [{ shellHooks }, { joinHooks, pluginHooks }] = await Promise.all([
      import("../../hooks/shell/shell-hooks.ts"),
      import("./plugin-hooks.ts"),
    ])
    const deps = { processes: this.#processes, sandbox: this.#sandboxFor(config, ownPlaces), cwd, env }
    const own = config.hooks === undefined ? [] : [shellHooks(config.hooks, deps)]
    return joinHooks([...own, ...(await pluginHooks(plugins, deps, (warning) => this.#warnOnce(warning)))])
  }

  #sandboxFor(config: Config, ownPlaces: readonly string[]): Sandbox {
    const key = JSON.stringify([config, ownPlaces])
    const sandbox = this.#sandboxes.get(key) ?? pluginSandbox({ home: this.#home, config, ownPlaces })
    this.#sandboxes.set(key, sandbox)
    return sandbox
  }

  async #starter({ config, ownPlaces, cwd, settingsFolder }: ExtensionsRequest): Promise<PluginStarter> {
    const { pluginStarter } = await import("../../hooks/process/plugin-sandbox.ts")
    const sandbox = this.#sandboxFor(config, ownPlaces)
    const synaps = synapsFolder(process.env)
    const own = [join(synaps, "plugins"), join(this.#home, "plugins"), ...ownPlaces]
    const isOwn = (folder: string) => own.some((root) => folder === root || folder.startsWith(root + sep))
    const refusal = async (folder: string) =>
      isOwn(folder) ? pinRefusal(this.#home, folder) : changeRefusal(this.#home, settingsFolder)
    return pluginStarter({ sandbox, cwd, synaps, isOwn, refusal })
  }

  async #openHost(): Promise<ExtensionHost> {
    const [{ ExtensionHost: Host }, { ExtensionMemory }, { recordReplacement }] = await Promise.all([
      import("../../hooks/extension-host.ts"),
      import("../../hooks/memory.ts"),
      import("../../hooks/bus/intercept-log.ts"),
    ])
    const { SYNAPS_EXTENSIONS_TRACE: trace, SYNAPS_HOOK_SESSION_ID: session } = process.env
    const folder = join(this.#home, "extensions")
    const scrub = (text: string) => [...this.#scrubbers].reduce((left, scrubber) => scrubber.text(left), text)
    const log = new ExtensionLog(folder, scrub)
    return new Host({
      processes: this.#processes,
      release: version(),
      alarm: (sentence) => printNotice(`turnhouse: ${scrub(sentence)}`),
      debug: (id, line) => log.write(id, line),
      trace: isOn(trace),
      hidesSession: isOff(session),
      replaced: (replacement) => {
        try {
          recordReplacement(join(folder, "intercept.jsonl"), replacement, Date.now())
        } catch (fault) {
          // the tool has run: a failed log entry must not change its result
          printNotice(`turnhouse: the change of an extension was not logged: ${messageOf(fault)}`)
        }
      },
      services: {
        memory: new ExtensionMemory(join(this.#home, "memory")),
        configFolder: join(this.#home, "plugins"),
        otherConfigFolders: [join(synapsFolder(process.env), "plugins")],
        now: Date.now,
        scrub,
      },
    })
  }
}

/** A project's plugin runs only as the user has trusted it, also when it restarts in an open session. */
async function changeRefusal(home: string, folder: string): Promise<string | undefined> {
  try {
    if ((await trustOf(home, folder)).state === "trusted") return undefined
  } catch (fault) {
    if (fault instanceof ConfigFault) return fault.message // the folder is gone
    throw fault
  }
  return `the project files of ${folder} have changed since they were trusted. Review them, then run 'turnhouse trust ${folder}'.`
}

/** A session of the WebSocket API has no processes of its own except guards, and no typed commands. */
function forService(found: Discovered, ids: readonly string[]): Discovered {
  return { ...found, extensions: found.extensions.filter(({ id }) => ids.includes(id)), commands: [] }
}

const maxBytes = 1024 * 1024

export class ExtensionLog {
  readonly #folder: string
  readonly #scrub: (line: string) => string
  readonly #sizes = new Map<string, number>()

  constructor(folder: string, scrub: (line: string) => string) {
    this.#folder = folder
    this.#scrub = scrub
  }

  write(id: string, line: string): void {
    const file = join(this.#folder, `${id}.log`)
    const text = `${new Date().toISOString()} ${this.#scrub(line)}\n`
    const size = this.#sizes.get(id) ?? this.#begin(file)
    const isFull = size > maxBytes
    if (isFull) renameSync(file, `${file}.old`)
    appendFileSync(file, text, { mode: 0o600 })
    this.#sizes.set(id, (isFull ? 0 : size) + Buffer.byteLength(text))
  }

  #begin(file: string): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0
  }
}
