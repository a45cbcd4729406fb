// The extensions of each session, by the configuration and the folders as they are when it is opened. Where there is
// none, nothing of the extension host is even loaded.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../contract/config.ts"
import type { Preset } from "../contract/values.ts"
import type { Discovered } from "../hooks/discover.ts"
import type { ExtensionHost, ExtensionPlan } from "../hooks/extension-host.ts"
import { extensionRoots } from "../hooks/extension-roots.ts"
import type { ProcessKeeper } from "../processes/process-keeper.ts"
import type { HookSource } from "../runner/hook-points.ts"
import type { Scrubber } from "../runner/services.ts"
import { discoveryIn } from "./ext/discovery.ts"
import { ExtensionLog } from "./extension-log.ts"
import { say } from "./terminal.ts"
import { version } from "./version.ts"

export interface ExtensionsWish {
  readonly config: Config
  readonly cwd: string
  readonly trusted: boolean
  readonly preset: Preset
  readonly scrubber: Scrubber
}

export class Extensions {
  readonly #home: string
  readonly #processes: ProcessKeeper
  /** Of all configurations: an extension may serve sessions of several. */
  readonly #scrubbers = new Set<Scrubber>()
  #host: Promise<ExtensionHost> | undefined

  constructor(home: string, processes: ProcessKeeper) {
    this.#home = home
    this.#processes = processes
  }

  async for(wish: ExtensionsWish): Promise<HookSource | undefined> {
    const { env } = process
    const { config, cwd, trusted } = wish
    const { paths = [], failClosed = [] } = config.extensions ?? {}
    const roots = extensionRoots({ env, home: this.#home, cwd, trusted, paths })
    if (failClosed.length === 0 && !roots.some((root) => existsSync(root))) return undefined
    const plan = await this.#plan(roots, wish)
    if (plan.found.extensions.length + plan.found.failures.length + failClosed.length === 0) return undefined
    this.#scrubbers.add(wish.scrubber)
    const host = await (this.#host ??= this.#openHost())
    return { enter: (rootId) => host.enter(rootId, () => plan), leave: (rootId) => host.leave(rootId) }
  }

  async close(): Promise<void> {
    await (await this.#host)?.close()
  }

  async #plan(roots: readonly string[], { config, cwd, preset }: ExtensionsWish): Promise<ExtensionPlan> {
    const { discover } = await import("../hooks/discover.ts")
    const { disabled = [], failClosed = [], shared = [] } = config.extensions ?? {}
    const found = discover(discoveryIn(roots, { home: this.#home, cwd, config }))
    const canaries = Object.fromEntries(Object.entries(config.guards ?? {}).map(([id, { canary }]) => [id, canary]))
    const fit = preset === "service" ? forService(found, [...shared, ...failClosed]) : found
    return { found: fit, failClosed, disabled, shared, canaries }
  }

  async #openHost(): Promise<ExtensionHost> {
    const [{ ExtensionHost: Host }, { ExtensionMemory }] = await Promise.all([
      import("../hooks/extension-host.ts"),
      import("../hooks/memory.ts"),
    ])
    const scrub = (text: string) => [...this.#scrubbers].reduce((left, scrubber) => scrubber.text(left), text)
    const log = new ExtensionLog(join(this.#home, "extensions"), scrub)
    return new Host({
      processes: this.#processes,
      release: version(),
      alarm: (sentence) => say(`turnhouse: ${scrub(sentence)}`),
      debug: (id, line) => log.write(id, line),
      desk: {
        memory: new ExtensionMemory(join(this.#home, "memory")),
        configFolder: join(this.#home, "plugins"),
        now: Date.now,
        scrub,
      },
    })
  }
}

/** A session of the network door has no processes of its own, guards excepted. */
function forService({ extensions, failures }: Discovered, ids: readonly string[]): Discovered {
  return { extensions: extensions.filter(({ id }) => ids.includes(id)), failures }
}
