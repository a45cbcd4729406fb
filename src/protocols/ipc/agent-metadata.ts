// What stands beside an agent's socket, and in lists of agents. Times are in seconds.
import type { SessionId } from "../../contract/ids.ts"
import type { SessionStatus } from "../../projection/status.ts"
import type { AgentMetadata } from "./frames.ts"

export function metadataOf(
  sessionId: SessionId,
  status: SessionStatus,
  facts: { readonly pid: number | null; readonly activeAt: number; readonly isBusy: boolean },
): AgentMetadata {
  return {
    session_id: sessionId,
    parent_agent_id: status.parentId ?? null,
    spawn_reason: status.spawnReason ?? null,
    model: status.model,
    created_at: seconds(bornAt(sessionId)),
    last_activity: seconds(facts.activeAt),
    working_directory: status.cwd,
    is_busy: facts.isBusy,
    pid: facts.pid,
  }
}

/** The id of a session begins with the time at which it was made. */
function bornAt(sessionId: SessionId): number {
  return Number.parseInt(sessionId.slice(0, 8) + sessionId.slice(9, 13), 16)
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}
