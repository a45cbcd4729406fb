import { describe, expect, it } from "vitest"
import type { Recorded, SessionEvent } from "../../contract/events.ts"
import { evolve, initialState } from "../../session/evolve.ts"
import { forkOf, type Fork } from "./fork.ts"

const by = { principal: "you", door: "test" }
const sessionId = "01890000-0000-7000-8000-000000000002"
const created = {
  type: "session.created",
  sessionId: "01890000-0000-7000-8000-000000000001",
  origin: "run",
  org: "local",
  owner: "you",
  preset: "careful",
  cwd: "/",
  model: "m",
  toolMode: "Smart",
  limits: { stepsPerTurn: 20, depth: 2, children: 2 },
  budget: {},
} as const satisfies SessionEvent
const turn: readonly SessionEvent[] = [
  { type: "prompt.admitted", promptId: "prm_1", text: "hi", delivery: "next-turn", by },
  { type: "turn.started", turnId: "trn_1" },
  { type: "prompt.promoted", promptId: "prm_1", turnId: "trn_1" },
  { type: "turn.ended", turnId: "trn_1", reason: "done" },
]

function recorded(events: readonly SessionEvent[]): readonly Recorded[] {
  return events.map((event, index) => ({ seq: index + 1, at: 1, event }))
}

function fork(events: readonly SessionEvent[], usedNames: readonly string[] = []): Fork {
  return forkOf(recorded(events), { sessionId, by, usedNames: new Set(usedNames) })
}

function eventsOf(forked: Fork): readonly SessionEvent[] {
  return forked.kind === "forked" ? forked.events : []
}

function stateOf(forked: Fork) {
  return recorded(eventsOf(forked)).reduce(evolve, initialState)
}

describe("a fork", () => {
  it("has the same events under its own id and origin, and nothing else", () => {
    expect(eventsOf(fork([created, ...turn]))).toEqual([{ ...created, sessionId, origin: "fork" }, ...turn])
  })

  it.for([2, 3, 4])("is not made in the middle of a turn (%i events)", (length) => {
    expect(fork([created, ...turn].slice(0, length))).toEqual({ kind: "busy", nearest: 1 })
  })

  it("names the end of the last turn as the nearest point", () => {
    const open: readonly SessionEvent[] = [{ type: "turn.started", turnId: "trn_2" }]
    expect(fork([created, ...turn, ...open])).toEqual({ kind: "busy", nearest: 5 })
  })

  it("is not made while the context is being compacted", () => {
    const started: SessionEvent = { type: "compaction.started", compactionId: "cmp_1", why: "asked" }
    expect(fork([created, started])).toEqual({ kind: "busy", nearest: 1 })
  })

  it("has no parent and no children", () => {
    const parent = { sessionId: created.sessionId, rootId: created.sessionId, depth: 1, reason: "help" }
    const childId = "01890000-0000-7000-8000-000000000003"
    const spawned: SessionEvent = { type: "child.spawned", childId, task: "t", reason: "r" }
    const state = stateOf(fork([{ ...created, parent }, ...turn, spawned]))
    expect(state.created?.parent).toBeUndefined()
    expect(state.children).toEqual([])
  })

  it("does not have the aliases of the other session", () => {
    const aliased: SessionEvent = { type: "session.aliased", alias: "old name", by }
    const events = eventsOf(fork([{ ...created, aliases: ["other"] }, aliased, ...turn]))
    expect(JSON.stringify(events)).not.toMatch(/old name|other/)
    expect(events).toHaveLength(2 + turn.length)
  })

  it("has no permission that was given in the other session", () => {
    const grants = ["session", "folder"] as const
    const copiedGrants = grants.map(
      (scope) => ({ type: "policy.granted", grantId: `grt_${scope}`, tool: "bash", pattern: "*", scope, by }) as const,
    )
    expect(stateOf(fork([created, ...turn, ...copiedGrants])).grants).toEqual([])
  })

  it("has a name that no other session has", () => {
    const named = { ...created, name: "work" }
    expect(stateOf(fork([named])).name).toBe("work (fork)")
    expect(stateOf(fork([named], ["work", "work (fork)"])).name).toBe("work (fork 2)")
  })

  it("of a session that has ended is open", () => {
    const ended: SessionEvent = { type: "session.ended", reason: "enough", by }
    expect(stateOf(fork([created, ...turn, ended])).life).toBe("open")
  })
})
