// How MCP servers are started and reached: in the sandbox, with the environment of tools and the stored logins. Sessions,
// `mcp test` and lists of tools do it the same way.
import { existsSync } from "node:fs"
import { join, sep } from "node:path"
import { ConfigFault } from "../../config/faults.ts"
import { trustOf } from "../../config/trust/trust.ts"
import type { Config } from "../../contract/config.ts"
import type { ConnectDeps } from "../../mcp/connection/connect.ts"
import { ConnectFault } from "../../mcp/connection/faults.ts"
import type { McpServer } from "../../mcp/mcp-server.ts"
import type { GatedProcess } from "../../processes/gated-process.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { Sandbox } from "../../processes/sandbox.ts"
import { version } from "../../program/program-files.ts"
import { pluginSandbox } from "../extensions/discovery.ts"
import { learnSecret } from "../secrets/home-secrets.ts"

export interface LaunchPlace {
  readonly config: Config
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  /** The folder whose files must be trusted. */
  readonly settingsFolder: string
  /** Where a process runs whose settings name no folder. */
  readonly cwd: string
  /** The environment of tools, as it is when a process starts. */
  readonly env: () => Readonly<Record<string, string>>
}

/** `owner` decides how long its processes live. */
export type Launch = (server: McpServer, owner: string, debug: ConnectDeps["debug"]) => Omit<ConnectDeps, "handlers">

export class ServerLauncher {
  readonly #home: string
  readonly #processes: ProcessSupervisor
  readonly #sandboxes = new Map<string, Sandbox>()

  constructor(home: string, processes: ProcessSupervisor) {
    this.#home = home
    this.#processes = processes
  }

  async prepare(place: LaunchPlace): Promise<Launch> {
    const { storedLogin } = await import("../../mcp/oauth/stored-login.ts")
    const sandbox = this.#sandboxFor(place)
    return (server, owner, debug) => ({
      release: version(),
      spawn: () => this.#spawn(server, owner, place, sandbox),
      fetchFor: ({ name: serverName, url = "", oauth }) =>
        storedLogin({ home: this.#home, serverName, url, oauth, onSecret: learnSecret }),
      debug,
    })
  }

  async #spawn(server: McpServer, owner: string, place: LaunchPlace, sandbox: Sandbox): Promise<GatedProcess> {
    const { command = "", args = [], env = {}, cwd = place.cwd } = server
    if (server.isOfProject) await refuseUntrusted(this.#home, place.settingsFolder)
    const problem = await sandbox.unavailable()
    if (problem !== undefined) throw new ConnectFault(problem)
    if (!existsSync(cwd)) throw new ConnectFault(`its folder ${cwd} does not exist`)
    const plugins = join(this.#home, "plugins") + sep
    const shown = [command, cwd, ...args, env["CLAUDE_PLUGIN_ROOT"] ?? ""].flatMap((path) =>
      pluginFolder(plugins, path),
    )
    const wrapped = await sandbox.wrap({ command, args }, cwd, { shown: [...new Set(shown)] })
    return this.#processes.spawn({ ...wrapped, env: { ...place.env(), ...env }, cwd, owner, stdin: "pipe" })
  }

  #sandboxFor({ config, ownPlaces }: LaunchPlace): Sandbox {
    const key = JSON.stringify([config.tools?.sandbox, config.ipc, config.locks, ownPlaces])
    const sandbox = this.#sandboxes.get(key) ?? pluginSandbox({ home: this.#home, config, ownPlaces })
    this.#sandboxes.set(key, sandbox)
    return sandbox
  }
}

/** Files of the project may have changed since the session was opened. */
async function refuseUntrusted(home: string, folder: string): Promise<void> {
  try {
    if ((await trustOf(home, folder)).state === "trusted") return
  } catch (fault) {
    throw fault instanceof ConfigFault ? new ConnectFault(fault.message) : fault
  }
  throw new ConnectFault(
    `the project files of ${folder} have changed since they were trusted. Review them, then run 'turnhouse trust ${folder}'`,
  )
}

/** Plugins lie in the home, which is hidden from processes otherwise. */
function pluginFolder(plugins: string, path: string): readonly string[] {
  const [name = ""] = path.startsWith(plugins) ? path.slice(plugins.length).split(sep) : []
  return name === "" ? [] : [plugins + name]
}
