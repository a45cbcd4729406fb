// Extensions with one process for the whole host. If the files or settings of one have changed, or it has failed for
// good, the next session gets a new process; the old one ends with its last session.
import { type ExtensionSpec, programMark } from "./discovery/discover.ts"
import type { HostedExtension } from "./hosted-extension.ts"

interface Entry {
  readonly mark: string
  readonly hosted: HostedExtension
}

export class SharedExtensions {
  /** The newest process of each. */
  readonly #current = new Map<string, Entry>()
  /** How many session trees use each. */
  readonly #users = new Map<HostedExtension, number>()

  /** Each `take` needs a `release`. */
  take(spec: ExtensionSpec, isGuard: boolean, start: () => HostedExtension): HostedExtension {
    const key = JSON.stringify([spec.folder, isGuard])
    const mark = markOf(spec)
    const current = this.#current.get(key)
    const isGood = current?.mark === mark && current.hosted.status.health !== "failed"
    const hosted = isGood ? current.hosted : start()
    this.#current.set(key, { mark, hosted })
    this.#users.set(hosted, (this.#users.get(hosted) ?? 0) + 1)
    if (current !== undefined && current.hosted !== hosted) void this.#stopIfUnused(current.hosted)
    return hosted
  }

  async release(hosted: HostedExtension): Promise<void> {
    this.#users.set(hosted, (this.#users.get(hosted) ?? 0) - 1)
    await this.#stopIfUnused(hosted)
  }

  async stop(): Promise<void> {
    const all = new Set([...this.#users.keys(), ...[...this.#current.values()].map(({ hosted }) => hosted)])
    this.#current.clear()
    this.#users.clear()
    await Promise.all([...all].map((hosted) => hosted.stop()))
  }

  /** The newest process stays for the next session. */
  async #stopIfUnused(hosted: HostedExtension): Promise<void> {
    if ((this.#users.get(hosted) ?? 0) > 0) return
    if ([...this.#current.values()].some((entry) => entry.hosted === hosted)) return
    this.#users.delete(hosted)
    await hosted.stop()
  }
}

/** Excludes the environment, which names the folder of one session. */
function markOf(spec: ExtensionSpec): string {
  const { command, args } = spec.commandLine
  return JSON.stringify([programMark(spec), command, args, spec.config])
}
