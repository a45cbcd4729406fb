// The MCP servers of each session, by the configuration and folders at the time of its first turn. Nothing is read or
// loaded before that, so that sessions without servers start as fast as ever.
import { join } from "node:path"
import type { ServerFiles } from "../../config/combine-files.ts"
import type { Config } from "../../contract/config.ts"
import { fitsServerTool, isServerTool, serverToolPrefix } from "../../contract/rules/server-tools.ts"
import type { ServerPlan, McpHost } from "../../mcp/mcp-host.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { Scrubber, ServerSource, ServerTree } from "../../runner/session-context.ts"
import { ExtensionLog } from "../extensions/extensions.ts"
import type { McpSettings } from "./mcp-servers.ts"
import { ServerLauncher } from "./server-launcher.ts"

export interface ServersRequest {
  readonly config: Config
  readonly serverFiles: ServerFiles
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  /** The folder whose settings count. */
  readonly settingsFolder: string
  /** In sessions of the WebSocket API: the tools that the agent's configuration names. */
  readonly visitorTools?: readonly string[] | undefined
  readonly scrubber: Scrubber
}

export class Servers {
  readonly #home: string
  readonly #launcher: ServerLauncher
  #host: McpHost | undefined

  constructor(home: string, processes: ProcessSupervisor) {
    this.#home = home
    this.#launcher = new ServerLauncher(home, processes)
  }

  /** Undefined where the session cannot have any. */
  async for(request: ServersRequest): Promise<ServerSource | undefined> {
    if (request.visitorTools !== undefined && !request.visitorTools.some(isServerTool)) return undefined
    const { McpHost: Host } = await import("../../mcp/mcp-host.ts")
    const host = (this.#host ??= new Host())
    return {
      enter: (tree) => host.enter(tree.rootId, () => this.#plan(request, tree)),
      leave: (rootId) => host.leave(rootId),
    }
  }

  async close(): Promise<void> {
    await this.#host?.close()
  }

  async #plan(request: ServersRequest, tree: ServerTree): Promise<ServerPlan> {
    const { config, serverFiles, ownPlaces, settingsFolder, visitorTools } = request
    const folder = visitorTools === undefined ? settingsFolder : undefined
    const { mcpServers } = await import("./mcp-servers.ts")
    const files = { home: this.#home, env: process.env, config, serverFiles, ownPlaces }
    const found = await mcpServers({ ...files, settingsFolder: folder })
    const servers = found.servers.filter(({ name }) => visitorTools === undefined || isNamed(name, visitorTools))
    const log = new ExtensionLog(join(this.#home, "mcp", "logs"), (line) => request.scrubber.text(line))
    const launch = await this.#launcher.prepare({ ...request, cwd: tree.cwd, env: tree.env })
    return {
      servers,
      org: tree.org,
      folder: tree.cwd,
      warnings: problemsOf(found),
      deps: (server, owner) => launch(server, owner, (line) => log.write(server.name, line)),
    }
  }
}

/** A visitor's session starts a server only if its agent names one of its tools. */
function isNamed(server: string, patterns: readonly string[]): boolean {
  const prefix = `${serverToolPrefix}${server}`
  return patterns.some(
    (pattern) => isServerTool(pattern) && (pattern.startsWith(`${prefix}__`) || fitsServerTool(pattern, `${prefix}__`)),
  )
}

function problemsOf({ unused, problems }: McpSettings): readonly string[] {
  const unusable = unused.flatMap(({ name, source, problem }) =>
    problem === undefined ? [] : [`MCP server '${name}' (${source}) is not used: ${problem}.`],
  )
  return [...problems, ...unusable]
}
