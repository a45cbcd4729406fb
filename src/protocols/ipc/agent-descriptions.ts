// Descriptions of agents beside their sockets and in lists. Times are in seconds. The caller reads files and sockets.
import { decodeMetadata } from "./codec.ts"
import type { AgentMetadata } from "./frames.ts"
import { agentIdOf } from "./agent-paths.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionStatus } from "../../projection/status.ts"

export interface AgentFolder {
  /** Names of all its files. */
  readonly names: readonly string[]
  /** The text of `ID.meta.json`; undefined when it cannot be read. */
  metadata(id: string): Promise<string | undefined>
  /** Whether no process listens on `ID.sock`. */
  isAbandoned(id: string): Promise<boolean>
}

/** For an agent that does not describe itself. */
export interface MetadataDefaults {
  /** Seconds since 1970. */
  readonly now: number
  readonly cwd: string
}

/**
 * The live agents of a folder, oldest first. An agent with an unreadable description is left out, one without a
 * description gets a minimal one, and one with two names is listed once.
 */
export async function listLiveAgents(
  folder: AgentFolder,
  defaults: MetadataDefaults,
): Promise<readonly AgentMetadata[]> {
  const ids = folder.names.flatMap((name) => agentIdOf(name) ?? [])
  const described = await Promise.all(ids.map((id) => describe(folder, id, defaults)))
  const byId = new Map(described.flatMap((agent) => (agent === undefined ? [] : [[agent.session_id, agent] as const])))
  return [...byId.values()].toSorted(
    (one, other) => one.created_at - other.created_at || (one.session_id < other.session_id ? -1 : 1),
  )
}

async function describe(
  folder: AgentFolder,
  id: string,
  { now, cwd }: MetadataDefaults,
): Promise<AgentMetadata | undefined> {
  if (await folder.isAbandoned(id)) return undefined
  if (folder.names.includes(`${id}.meta.json`)) {
    const text = await folder.metadata(id)
    return text === undefined ? undefined : decodeMetadata(text)
  }
  return {
    session_id: id,
    parent_agent_id: null,
    spawn_reason: null,
    model: "unknown",
    created_at: now,
    last_activity: now,
    working_directory: cwd,
    is_busy: false,
    pid: null,
  }
}

export function metadataOf(
  sessionId: SessionId,
  status: SessionStatus,
  { pid, now }: { readonly pid: number | null; readonly now: number },
): AgentMetadata {
  return {
    session_id: sessionId,
    parent_agent_id: status.parentId ?? null,
    spawn_reason: status.spawnReason ?? null,
    model: status.model,
    created_at: seconds(createdAt(sessionId)),
    last_activity: seconds(now),
    working_directory: status.cwd,
    is_busy: isBusy(status),
    pid,
  }
}

export function isBusy({ inTurn, compacting }: SessionStatus): boolean {
  return inTurn || compacting
}

/** A session id begins with the time of its creation. */
function createdAt(sessionId: SessionId): number {
  return Number.parseInt(sessionId.slice(0, 8) + sessionId.slice(9, 13), 16)
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
