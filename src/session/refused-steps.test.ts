import { describe, expect, it } from "vitest"
import { limits } from "../contract/limits.ts"
import type { SessionState } from "./state.ts"
import { answer, ask, call, created, eventsOf, given, prompt, sent, types } from "./fixtures/given.ts"

const refused = (id: string) =>
  ({ type: "judged", callId: `cal_${id}`, verdict: { kind: "refuse", by: "policy", reason: "no" } }) as const

/** A session whose model has made a call in its newest step. */
function called(state: SessionState, id: string): SessionState {
  const stepId = state.turn?.step?.id ?? "stp_none"
  return sent(state, answer(stepId, call(id)), { id: `a${id}` })
}

/** After this many answers with refused calls only. */
function afterRefusals(count: number): SessionState {
  const many = { ...created, limits: { ...created.limits, stepsPerTurn: 100 } }
  let state = sent(given(many), prompt("1"))
  for (let n = 0; n < count; n += 1) state = sent(called(state, `${n}`), refused(`${n}`), { id: `r${n}` })
  return state
}

const ended = { type: "turn.ended", reason: "failed", error: expect.stringContaining("The model is stuck") }

describe("a turn whose calls are all refused", () => {
  it("fails after the limit, and not before", () => {
    const state = called(afterRefusals(limits.refusedSteps - 1), "x")
    expect(state.turn).toBeDefined()
    expect(eventsOf(state, refused("x")).at(-1)).toMatchObject(ended)
  })

  it("goes on where a prompt of the user joins it", () => {
    const state = sent(called(afterRefusals(limits.refusedSteps - 1), "x"), prompt("2", "try ls", "steer"))
    const events = eventsOf(state, refused("x"), { id: "s" })
    expect(types(events).slice(-2)).toEqual(["prompt.promoted", "step.started"])
    expect(sent(state, refused("x"), { id: "s" }).turn?.refusedSteps).toBe(0)
  })

  it("goes on where a person denied a call: the model gets the answer of the person", () => {
    const state = sent(called(afterRefusals(limits.refusedSteps - 1), "x"), ask("x"), { id: "p" })
    const approvalId = state.approvals[0]?.id ?? "apr_none"
    const events = eventsOf(
      state,
      { type: "approve", approvalId, approved: false },
      { id: "d", roles: ["approve", "drive"] },
    )
    expect(types(events)).toContain("step.started")
    expect(types(events)).not.toContain("turn.ended")
  })
})
