// Which agents a folder holds: every socket that somebody listens on, with what is known about it, the oldest first.
// A description that cannot be read is left out; a socket without one is listed with what can be guessed; one that is
// there under two names counts once. Files and sockets are looked at by whoever asks.
import type { AgentMetadata } from "./frames.ts"
import { agentIdOf } from "./agent-paths.ts"
import { readMetadata } from "./codec.ts"

export interface AgentFolder {
  /** Of all files in it. */
  readonly names: readonly string[]
  /** The text of `ID.meta.json`; undefined when it cannot be read. */
  metadata(id: string): Promise<string | undefined>
  /** Nobody listens on `ID.sock`. */
  isAbandoned(id: string): Promise<boolean>
}

/** What is said of an agent that does not describe itself. */
export interface Guess {
  /** Seconds since 1970. */
  readonly now: number
  readonly cwd: string
}

/** No description that an agent writes is longer. */
export const maxMetadataBytes = 64 * 1024

export async function livingAgents(folder: AgentFolder, guess: Guess): Promise<readonly AgentMetadata[]> {
  const ids = folder.names.flatMap((name) => agentIdOf(name) ?? [])
  const described = await Promise.all(ids.map((id) => describe(folder, id, guess)))
  const agents = described.filter((agent) => agent !== undefined)
  return [...new Map(agents.map((agent) => [agent.session_id, agent])).values()].toSorted(
    (one, other) => one.created_at - other.created_at || (one.session_id < other.session_id ? -1 : 1),
  )
}

async function describe(folder: AgentFolder, id: string, { now, cwd }: Guess): Promise<AgentMetadata | undefined> {
  if (await folder.isAbandoned(id)) return undefined
  if (folder.names.includes(`${id}.meta.json`)) {
    const text = await folder.metadata(id)
    return text === undefined ? undefined : readMetadata(text)
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
