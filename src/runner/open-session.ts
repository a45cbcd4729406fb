// Making a session and taking one up again. Taking up: claim it, read the newest snapshot and what came after, end
// what a dead owner's tools left running, give every half-done thing its end, and only then go on.
import type { EventOf } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import { foldStatus, noStatus } from "../projection/status.ts"
import { openCalls, type SessionState } from "../session/state.ts"
import { foldLoaded } from "./read-folds.ts"
import { scrubEvents } from "./scrub-events.ts"
import type { Services } from "./services.ts"
import { SessionActor } from "./session-actor.ts"
import { foldAll, noFolds } from "./snapshot.ts"

export type Opened =
  | { readonly kind: "opened"; readonly session: SessionActor }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export async function createSession(services: Services, created: EventOf<"session.created">): Promise<Opened> {
  const { sessionId } = created
  const at = services.now()
  const events = scrubEvents([created], services.scrubber, new Map())
  const status = events.map((event) => ({ seq: 1, at, event })).reduce(foldStatus, noStatus)
  const append = { sessionId, expectedSeq: 0, at, events, summary: { ...status } }
  const stored = await services.log.create(services.lease, append)
  if (stored.kind === "refused") return stored
  const session = new SessionActor(sessionId, services, foldAll(noFolds(), stored.value), 0)
  session.begin()
  return { kind: "opened", session }
}

/** `at rest`: nothing that the session owes is begun until somebody says so. */
export type Manner = "at work" | "at rest"

export async function openSession(services: Services, sessionId: SessionId, manner: Manner): Promise<Opened> {
  const claimed = await services.log.claim(services.lease, sessionId)
  if (claimed.kind === "refused") return claimed
  const opened = await takeUp(services, sessionId)
  if (opened.kind === "refused") await services.log.release(services.lease, sessionId)
  else if (manner === "at work") opened.session.begin()
  return opened
}

async function takeUp(services: Services, sessionId: SessionId): Promise<Opened> {
  const loaded = await services.log.load(sessionId)
  if (loaded.kind === "refused") return loaded
  const folds = await foldLoaded(services.log, sessionId, loaded.value)
  if (folds.kind === "refused") return folds
  const session = new SessionActor(sessionId, services, folds.value, loaded.value.snapshot?.seq ?? 0)
  const streamed = loaded.value.streamed.find(({ stepId }) => stepId === session.state.turn?.step?.id)
  if (streamed !== undefined) session.stream({ stepId: streamed.stepId, streamed: () => streamed.blocks })
  const evidence = await sweepLeftovers(services, session.state)
  const recovered = await session.report({ type: "recover", evidence })
  return recovered.kind === "refused" ? recovered : { kind: "opened", session }
}

async function sweepLeftovers(services: Services, state: SessionState): Promise<Record<string, string>> {
  const calls = openCalls(state).flatMap(({ id, started }) =>
    started?.process === undefined ? [] : [{ id, process: started.process }],
  )
  const found = await services.sweep(calls.map((call) => call.process))
  return Object.fromEntries(calls.map((call, index) => [call.id, found[index] ?? ""]))
}
