// The named agents of a session: those of its folder while it is trusted, of the user, and of plugins.
import { join } from "node:path"
import type { AgentFiles, AgentPlace } from "../../config/agents/agent-files.ts"
import { withUserHome, type Environment } from "../../config/home.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import { placesOf, type SessionPlugins } from "../plugins/session-plugins.ts"
import type { Setting } from "../../runner/session-context.ts"

export interface AgentsRequest {
  readonly home: string
  readonly env: Environment
  /** The folder whose settings count. */
  readonly settingsFolder: string
  readonly plugins?: SessionPlugins
}

/** Files are read when the first turn begins. */
export function namedAgents(request: AgentsRequest): NonNullable<Setting["agents"]> {
  let files: Promise<AgentFiles> | undefined
  const load = () => (files ??= openAgentFiles(request))
  return {
    list: async () => (await load()).list(),
    find: async (name) => (await load()).find(name),
    problems: async () => (await load()).problems(),
    problemOf: async (name) => (await load()).problemOf(name),
  }
}

async function openAgentFiles({ home, env, settingsFolder, plugins }: AgentsRequest): Promise<AgentFiles> {
  const { AgentFiles: Files } = await import("../../config/agents/agent-files.ts")
  const isOpen = () => isTrusted(home, settingsFolder)
  const ofFolder = [".turnhouse/agents", ".claude/agents"].map((path) => join(settingsFolder, path))
  return new Files([
    ...ofFolder.map((folder) => ({ folder, isOpen, isOwn: false })),
    ...ownPlaces({ home, env }),
    ...(plugins === undefined ? [] : placesOf(plugins, ({ agents }) => agents)),
  ])
}

export async function ownAgentFiles(request: Pick<AgentsRequest, "home" | "env">): Promise<AgentFiles> {
  const { AgentFiles: Files } = await import("../../config/agents/agent-files.ts")
  return new Files(ownPlaces(request))
}

function ownPlaces({ home, env }: Pick<AgentsRequest, "home" | "env">): readonly AgentPlace[] {
  const folders = [join(home, "agents"), withUserHome("~/.claude/agents", env)]
  return folders.map((folder) => ({ folder, isOpen: () => Promise.resolve(true), isOwn: true }))
}
