// Fixtures for tests of the log.
import type { EventOf, SessionEvent } from "../contract/events.ts"
import type { SessionId, StepId, VisitId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { Append, HostIdentity, Outcome } from "./event-log.ts"

export function sessionIdOf(number: number): SessionId {
  return `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`
}

export function hostNamed(hostId: string, pid = 1): HostIdentity {
  return { hostId, role: "serve", pid, startTime: `start of ${pid}`, bootId: "boot" }
}

export function createdEvent(sessionId: SessionId): EventOf<"session.created"> {
  return {
    type: "session.created",
    sessionId,
    origin: "run",
    org: "local",
    owner: "me",
    preset: "careful",
    cwd: "/",
    model: "offline/any",
    toolMode: "Smart",
    limits: limits.sessionDefaults,
    budget: {},
  }
}

export function visitEvent(visitId: VisitId): SessionEvent {
  const participants = { user: "6f1c0f4e-0000-4000-8000-00000000000a", agent: "6f1c0f4e-0000-4000-8000-00000000000b" }
  return { type: "visit.opened", visitId, agentId: "shop", principal: "anonymous", contact: {}, participants }
}

export function textEvent(text: string, stepId: StepId = "stp_1"): SessionEvent {
  return { type: "text.ended", stepId, block: 0, text }
}

export function appendOf(sessionId: SessionId, expectedSeq: number, ...texts: string[]): Append {
  return { sessionId, expectedSeq, at: 1000 + expectedSeq, events: texts.map((text) => textEvent(text)) }
}

export function valueOf<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "ok") return outcome.value
  throw new Error(`refused: ${JSON.stringify(outcome.refusal)}`)
}

export function refusalOf(outcome: Outcome<unknown>) {
  return outcome.kind === "refused" ? outcome.refusal : undefined
}
