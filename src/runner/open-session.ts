// Creates a session, or opens one: claims it, reads the newest snapshot and the events after it, ends processes that a
// dead host left running, recovers what was half done, and only then starts its effects.
import type { EventOf } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { EventLog, Lease, Outcome, StreamedStep } from "../log/event-log.ts"
import { openCalls, type SessionState } from "../session/state.ts"
import { firstAppend } from "./first-append.ts"
import { foldLoaded } from "./read-folds.ts"
import type { SettingsRequest, Services } from "./session-context.ts"
import { SessionActor } from "./session-actor.ts"
import { foldAll, noFolds } from "./snapshot.ts"
import type { Streaming } from "./model/streaming.ts"

export type Opened =
  | { readonly kind: "opened"; readonly session: SessionActor }
  | { readonly kind: "refused"; readonly refusal: Refusal }

/** What a host gives to the sessions it opens. */
export interface OpenDeps {
  readonly log: EventLog
  readonly lease: Lease
  readonly servicesFor: (request: SettingsRequest) => Promise<Outcome<Services>>
}

export async function createSession(deps: OpenDeps, created: EventOf<"session.created">): Promise<Opened> {
  const provided = await deps.servicesFor(created)
  if (provided.kind === "refused") return provided
  const services = provided.value
  const stored = await services.log.create(services.lease, firstAppend(created, services.scrubber, services.now()))
  if (stored.kind === "refused") return stored
  const session = new SessionActor(created.sessionId, services, foldAll(noFolds(), stored.value), 0)
  session.begin()
  return { kind: "opened", session }
}

/**
 * `at rest`: no effect is started until `begin` is called. `adopting`: an open turn is continued, unless it was adopted
 * too often without progress or was left long ago.
 */
export type OpenMode = "at work" | "at rest" | "adopting"

export async function openSession(deps: OpenDeps, sessionId: SessionId, mode: OpenMode): Promise<Opened> {
  const { log, lease } = deps
  const row = await log.find(sessionId)
  if (row.kind === "refused") return row
  const claimed = await log.claim(lease, sessionId)
  if (claimed.kind === "refused") return claimed
  const opened = await loadSession(deps, sessionId)
  const adopted = mode === "adopting" ? await adopt(opened, lease, row.value.updatedAt) : opened
  if (adopted.kind === "refused") await log.release(lease, sessionId)
  else if (mode !== "at rest") adopted.session.begin()
  return adopted
}

async function adopt(opened: Opened, { hostId }: Lease, idleSince: number): Promise<Opened> {
  if (opened.kind === "refused") return opened
  const adopted = await opened.session.report({ type: "adopt", host: hostId, idleSince })
  return adopted.kind === "refused" ? adopted : opened
}

async function loadSession({ log, servicesFor }: OpenDeps, sessionId: SessionId): Promise<Opened> {
  const loaded = await log.load(sessionId)
  if (loaded.kind === "refused") return loaded
  const folds = await foldLoaded(log, sessionId, loaded.value)
  if (folds.kind === "refused") return folds
  const { created } = folds.value.state
  if (created === undefined) return { kind: "refused", refusal: { code: "session.unknown", wanted: sessionId } }
  const provided = await servicesFor(created)
  if (provided.kind === "refused") return provided
  const services = provided.value
  const session = new SessionActor(sessionId, services, folds.value, loaded.value.snapshot?.seq ?? 0)
  const streamed = loaded.value.streamed.find(({ stepId }) => stepId === session.state.turn?.step?.id)
  if (streamed !== undefined) session.stream(restOf(streamed))
  const evidence = await sweepLeftovers(services, session.state)
  const recovered = await session.report({ type: "recover", evidence })
  return recovered.kind === "refused" ? recovered : { kind: "opened", session }
}

/** Streamed text of a dead host: nothing is added to it. */
function restOf({ stepId, blocks }: StreamedStep): Streaming {
  return { stepId, streamed: () => blocks, hold: () => {}, release: () => {} }
}

async function sweepLeftovers(services: Services, state: SessionState): Promise<Record<string, string>> {
  const calls = openCalls(state).flatMap(({ id, started }) =>
    started?.process === undefined ? [] : [{ id, process: started.process }],
  )
  const found = await services.sweep(calls.map((call) => call.process))
  return Object.fromEntries(calls.map((call, index) => [call.id, found[index] ?? ""]))
}
