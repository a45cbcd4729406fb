// What the open sessions of a host use besides their own tools: extensions and MCP servers, with their state. One report
// for each session tree, since children use those of their root.
import type { SessionId } from "../../contract/ids.ts"
import type { ExtensionReport, McpServerReport } from "../../contract/views/host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"

export function extensionReports(sessions: readonly SessionActor[]): readonly ExtensionReport[] {
  const hooked = sessions.filter(({ hooks }) => hooks !== undefined)
  return [...byRoot(hooked)].flatMap(([sessionId, { hooks, services }]) =>
    (hooks?.statuses ?? []).map(({ folder, pid, lastFault, ...status }) => ({
      sessionId,
      ...status,
      folder: folder ?? null,
      pid: pid ?? null,
      lastFault: lastFault === undefined ? null : services.scrubber.text(lastFault),
    })),
  )
}

export function serverReports(sessions: readonly SessionActor[]): readonly McpServerReport[] {
  const serving = sessions.filter(({ servers }) => servers !== undefined)
  return [...byRoot(serving)].flatMap(([sessionId, { servers, services }]) =>
    (servers?.statuses ?? []).map(({ pid, connectMs, lastError, ...status }) => ({
      sessionId,
      ...status,
      pid: pid ?? null,
      connectMs: connectMs ?? null,
      lastError: lastError === undefined ? null : services.scrubber.text(lastError),
    })),
  )
}

function byRoot(sessions: readonly SessionActor[]): ReadonlyMap<SessionId, SessionActor> {
  return new Map(sessions.map((session) => [session.state.created?.parent?.rootId ?? session.id, session]))
}
