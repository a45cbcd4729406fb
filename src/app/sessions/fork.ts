// Forks a session: the history of another session up to a point, under a new id. A fork is independent: no parent, no
// children, its own name, and none of the other session's standing permissions, so that revoking one there is enough.
import type { Recorded, SessionEvent } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import { newSessionId } from "../../host/new-ids.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { recordedIn } from "../../log/recorded.ts"
import { foldStatus, noStatus } from "../../projection/status.ts"
import { evolve, initialState } from "../../session/evolve.ts"
import { isBusy, type SessionState } from "../../session/state.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"
import { accepted, usageFault } from "../app-fault.ts"
import { withLease } from "../host/lease.ts"
import { localUser } from "../local-user.ts"
import { listSessions } from "./sessions.ts"
import { storedEvents } from "./stored-lines.ts"

export type Fork =
  | { readonly kind: "forked"; readonly events: readonly SessionEvent[] }
  /** In the middle of a turn; `nearest` is the last event before it. */
  | { readonly kind: "busy"; readonly nearest: number }

export interface ForkIdentity {
  readonly sessionId: SessionId
  readonly by: By
  /** Aliases of the other session. */
  readonly usedNames: ReadonlySet<string>
}

/** Stored by one append: completely or not at all. Its events have the time of the fork. */
export async function forkSession(log: EventLog, { sessionId: source }: SessionRow, upTo: number): Promise<SessionId> {
  const at = Date.now()
  const sessionId = newSessionId(at)
  const usedNames = new Set((await listSessions(log)).flatMap(({ status }) => status.name ?? []))
  const by = { principal: localUser(), door: "fork" }
  const fork = forkOf(await Array.fromAsync(storedEvents(log, source, 0, upTo)), { sessionId, by, usedNames })
  if (fork.kind === "busy")
    throw usageFault(
      `session ${source} is in the middle of a turn at event ${upTo}. The nearest earlier point is --at ${fork.nearest}.`,
    )
  const append = { sessionId, expectedSeq: 0, at, events: fork.events }
  const summary = { ...recordedIn(append).reduce(foldStatus, noStatus) }
  accepted(await withLease(log, "fork", (lease) => log.create(lease, { ...append, summary })))
  return sessionId
}

/** Pure. */
export function forkOf(history: readonly Recorded[], identity: ForkIdentity): Fork {
  let state = initialState
  let nearest = 0
  for (const recorded of history) {
    state = evolve(state, recorded)
    if (isAtRest(state)) nearest = recorded.seq
  }
  if (!isAtRest(state)) return { kind: "busy", nearest }
  const copied = history.map(({ event }) => renamed(event, identity.sessionId))
  return { kind: "forked", events: [...copied, ...closingEvents(state, identity)] }
}

function isAtRest(state: SessionState): boolean {
  return !isBusy(state) && state.waiting.length === 0
}

function renamed(event: SessionEvent, sessionId: SessionId): SessionEvent {
  if (event.type === "session.aliased") return { ...event, alias: sessionId } // keeps its place, not the alias
  if (event.type !== "session.created") return event
  const { parent: _, aliases: __, ...rest } = event
  return { ...rest, sessionId, origin: "fork" }
}

function closingEvents(state: SessionState, { by, usedNames }: ForkIdentity): readonly SessionEvent[] {
  const { life, asleep, children, grants, name } = state
  return [
    ...(life === "ended" ? [{ type: "session.reopened", by } as const] : []),
    ...(asleep ? [{ type: "session.woken", by } as const] : []),
    ...children.flatMap(({ id }) => leftBehind(state, id)),
    ...grants.map(({ grantId }) => ({ type: "policy.revoked", grantId, by }) as const),
    ...(name === undefined ? [] : [{ type: "session.renamed", name: freeName(name, usedNames), by } as const]),
  ]
}

/** The child and its requests stay with the other session. */
function leftBehind(state: SessionState, childId: SessionId): readonly SessionEvent[] {
  const questions = openChildApprovals(state, childId).map(
    ({ id }) => ({ type: "child.answered", childId, approvalId: id, outcome: "void" }) as const,
  )
  return [...questions, { type: "child.detached", childId }]
}

function freeName(name: string, usedNames: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = `${name} (fork${number === 1 ? "" : ` ${number}`})`
    if (!usedNames.has(candidate)) return candidate
  }
}
