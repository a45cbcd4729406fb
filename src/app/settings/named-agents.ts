// The named agents of a session: those of its folder while it is trusted, and of the user.
import { join } from "node:path"
import type { AgentFiles, AgentPlace } from "../../config/agents/agent-files.ts"
import { withUserHome, type Environment } from "../../config/home.ts"
import { isTrusted } from "../../config/trust/trust.ts"
import type { Setting } from "../../runner/session-context.ts"

export interface AgentsRequest {
  readonly home: string
  readonly env: Environment
  /** The folder whose settings count. */
  readonly settingsFolder: string
}

/** Files are read when the first turn begins. */
export function namedAgents(request: AgentsRequest): NonNullable<Setting["agents"]> {
  let files: Promise<AgentFiles> | undefined
  const load = () => (files ??= openAgentFiles(request))
  return {
    list: async () => (await load()).list(),
    find: async (name) => (await load()).find(name),
  }
}

export async function openAgentFiles({ home, env, settingsFolder }: AgentsRequest): Promise<AgentFiles> {
  const { AgentFiles: Files } = await import("../../config/agents/agent-files.ts")
  const isOpen = () => isTrusted(home, settingsFolder)
  const ofFolder = [".turnhouse/agents", ".claude/agents"].map((path) => join(settingsFolder, path))
  return new Files([...ofFolder.map((folder) => ({ folder, isOpen, isOwn: false })), ...ownPlaces({ home, env })])
}

export async function ownAgentFiles(request: Pick<AgentsRequest, "home" | "env">): Promise<AgentFiles> {
  const { AgentFiles: Files } = await import("../../config/agents/agent-files.ts")
  return new Files(ownPlaces(request))
}

function ownPlaces({ home, env }: Pick<AgentsRequest, "home" | "env">): readonly AgentPlace[] {
  const folders = [join(home, "agents"), withUserHome("~/.claude/agents", env)]
  return folders.map((folder) => ({ folder, isOpen: () => Promise.resolve(true), isOwn: true }))
}
