// For tests: a session brought to a state by events or by what is sent to it, and a stamp that needs no clock.
import type { SessionCommand } from "../contract/commands.ts"
import type { EventOf, SessionEvent } from "../contract/events.ts"
import { decide } from "./decide.ts"
import type { Stamp } from "./decision.ts"
import { evolve } from "./evolve.ts"
import type { CalledPart, RunnerReport } from "./report.ts"
import { initialState, type SessionState } from "./state.ts"

export const you = { principal: "you", door: "test" }

export const created: EventOf<"session.created"> = {
  type: "session.created",
  sessionId: "01890000-0000-7000-8000-000000000001",
  origin: "test",
  org: "local",
  owner: "you",
  preset: "careful",
  cwd: "/folder",
  model: "offline/demo",
  toolMode: "Smart",
  limits: { stepsPerTurn: 5, depth: 2, children: 2 },
  budget: {},
}

export function given(...events: readonly SessionEvent[]): SessionState {
  return [created, ...events].reduce(
    (state, event) => evolve(state, { seq: state.seq + 1, at: 0, event }),
    initialState,
  )
}

export function after(state: SessionState, events: readonly SessionEvent[]): SessionState {
  return events.reduce((current, event) => evolve(current, { seq: current.seq + 1, at: 0, event }), state)
}

export function stamp(change: Partial<Stamp> = {}): Stamp {
  return { at: 1000, id: "1", by: you, streamed: [], isCode: () => false, ...change }
}

export function eventsOf(
  state: SessionState,
  input: SessionCommand | RunnerReport,
  change = {},
): readonly SessionEvent[] {
  const decision = decide(state, input, stamp(change))
  if (decision.kind === "refused") throw new Error(`refused: ${decision.refusal.code}`)
  return decision.events
}

export function refusalOf(state: SessionState, input: SessionCommand | RunnerReport, change = {}): string {
  const decision = decide(state, input, stamp(change))
  return decision.kind === "refused" ? decision.refusal.code : "accepted"
}

export function sent(state: SessionState, input: SessionCommand | RunnerReport, change = {}): SessionState {
  return after(state, eventsOf(state, input, change))
}

export function types(events: readonly SessionEvent[]): readonly string[] {
  return events.map((event) => event.type)
}

export const prompt = (id: string, text = "hello", ifBusy: "refuse" | "wait" | "steer" = "wait") =>
  ({ type: "prompt", promptId: `prm_${id}`, text, ifBusy }) as const

export const call = (id: string, tool = "bash"): CalledPart => ({
  kind: "call",
  callId: `cal_${id}`,
  tool,
  input: { command: id },
})

export const answer = (stepId: `stp_${string}`, ...parts: (CalledPart | string)[]): RunnerReport => ({
  type: "model-answered",
  stepId,
  parts: parts.map((part, block) => (typeof part === "string" ? { kind: "text", block, text: part } : part)),
  model: "m",
  finish: "stop",
  usage: undefined,
  costUsd: undefined,
})

/** A session whose model has asked for the given calls. */
export function calling(...calls: CalledPart[]): SessionState {
  return sent(sent(given(), prompt("1")), answer("stp_1", ...calls), { id: "2" })
}

export const ready = (id: string, digest = "d", toolClass: "read" | "keyed" | "unsafe" = "unsafe"): RunnerReport => ({
  type: "call-ready",
  callId: `cal_${id}`,
  class: toolClass,
  digest,
  waitMs: undefined,
})

export const ask = (id: string, waitMs?: number): RunnerReport => ({
  type: "judged",
  callId: `cal_${id}`,
  verdict: { kind: "ask", reason: "it is unsafe", audience: "driver", causes: ["preset"], digest: "d", waitMs },
})
