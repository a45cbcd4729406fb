// The MCP servers of a host: one process per server and session tree. A server that the user's configuration marks as
// shared has one process for all trees of the same organisation and folder. They end with the last session that has them.
import type { SessionId } from "../contract/ids.ts"
import type { McpServer } from "./mcp-server.ts"
import type { RunningServer, RunningServerDeps } from "./running-server.ts"
import { SessionServers } from "./session-servers.ts"

/** Which servers a session has, and how they are started. */
export interface ServerPlan {
  readonly servers: readonly McpServer[]
  readonly org: string
  readonly folder: string
  /** Problems of the settings: sentences. */
  readonly warnings: readonly string[]
  /** `owner` decides how long its processes live. */
  readonly deps: (server: McpServer, owner: string) => Omit<RunningServerDeps, "warn">
}

interface Tree {
  readonly servers: SessionServers
  readonly shared: readonly string[]
  sessions: number
}

interface Shared {
  readonly running: RunningServer
  /** Of the trees that use it. */
  readonly warners: Map<SessionId, Warn>
}

type Warn = (sentence: string) => void

const sharedOwner = "mcp.shared"

export class McpHost {
  readonly #trees = new Map<SessionId, Tree>()
  readonly #shared = new Map<string, Shared>()

  /** A session of the tree opened here. Each `enter` needs a `leave`. */
  enter(rootId: SessionId, plan: () => Promise<ServerPlan>): SessionServers {
    const tree = this.#trees.get(rootId) ?? this.#open(rootId, plan)
    tree.sessions++
    this.#trees.set(rootId, tree)
    return tree.servers
  }

  async leave(rootId: SessionId): Promise<void> {
    const tree = this.#trees.get(rootId)
    if (tree === undefined || --tree.sessions > 0) return
    this.#trees.delete(rootId)
    await tree.servers.close((running) => this.#isShared(running))
    await Promise.all(tree.shared.map((key) => this.#release(key, rootId)))
  }

  async close(): Promise<void> {
    const trees = [...this.#trees.values()]
    const shared = [...this.#shared.values()]
    this.#trees.clear()
    this.#shared.clear()
    await Promise.all([
      ...trees.map(({ servers }) => servers.close(() => false)),
      ...shared.map(({ running }) => running.stop()),
    ])
  }

  #open(rootId: SessionId, plan: () => Promise<ServerPlan>): Tree {
    const shared: string[] = []
    const warn = (sentence: string) => servers.warn(sentence)
    const servers = new SessionServers(async () => {
      const read = await plan()
      read.warnings.forEach(warn)
      if (read.servers.length === 0) return []
      const { RunningServer: Server } = await import("./running-server.ts")
      return read.servers.map((server) => {
        if (!server.isShared) return new Server(server, { ...read.deps(server, ownerOf(rootId)), warn })
        const key = JSON.stringify([read.org, read.folder, server])
        shared.push(key)
        return this.#sharedOf(
          key,
          rootId,
          warn,
          (warnAll) => new Server(server, { ...read.deps(server, sharedOwner), warn: warnAll }),
        )
      })
    })
    return { servers, shared, sessions: 0 }
  }

  #sharedOf(key: string, rootId: SessionId, warn: Warn, create: (warnAll: Warn) => RunningServer): RunningServer {
    const known = this.#shared.get(key)
    const warners = known?.warners ?? new Map<SessionId, Warn>()
    warners.set(rootId, warn)
    if (known !== undefined) return known.running
    const running = create((sentence) => warners.forEach((each) => each(sentence)))
    this.#shared.set(key, { running, warners })
    return running
  }

  #isShared(running: RunningServer): boolean {
    return [...this.#shared.values()].some((shared) => shared.running === running)
  }

  async #release(key: string, rootId: SessionId): Promise<void> {
    const shared = this.#shared.get(key)
    if (shared === undefined) return
    shared.warners.delete(rootId)
    if (shared.warners.size > 0) return
    this.#shared.delete(key)
    await shared.running.stop()
  }
}

function ownerOf(rootId: SessionId): string {
  return `${rootId}.mcp`
}
