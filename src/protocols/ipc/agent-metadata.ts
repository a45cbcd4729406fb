// The description of a session beside its socket and in lists of agents. Times are in seconds.
import type { SessionId } from "../../contract/ids.ts"
import type { SessionStatus } from "../../projection/status.ts"
import type { AgentMetadata } from "./frames.ts"

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
