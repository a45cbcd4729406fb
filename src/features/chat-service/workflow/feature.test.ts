import { describe, expect, it } from "vitest"
import type { Workflow } from "../../../contract/config.ts"
import { answer, call, eventsOf, given, prompt, refusalOf, sent, types } from "../../../session/fixtures/given.ts"
import type { WorkflowReport } from "./state.ts"
import type { SessionState } from "../../../session/state.ts"
import { currentStep } from "./feature.ts"
import { requiredEffects } from "../../../session/required-effects.ts"

const step = (id: string, more: object = {}) => ({ id, intent: `do ${id}`, criteria: `${id} is done`, ...more })
const workflow: Workflow = { goal: "a shoe sold", steps: [step("size"), step("colour"), step("pay")] }
const by = { workflow }

function verdict(word: WorkflowReport["verdict"], turnId: `trn_${string}` = "trn_1"): WorkflowReport {
  return { type: "workflow-judged", turnId, verdict: word, model: "judge" }
}

/** A turn that has its answer, in a session that stands where the state says. */
function answered(state: SessionState = given()): SessionState {
  return sent(sent(state, prompt(`at${state.seq}`), by), answer("stp_1", "Hello."), by)
}

function judged(state: SessionState, ...words: WorkflowReport["verdict"][]): SessionState {
  return words.reduce((current, word) => sent(answered(current), verdict(word), by), state)
}

const at = (state: SessionState, steps = workflow) => currentStep(steps, state)?.id

describe("a turn with a workflow", () => {
  it("does not end before it is judged, also after a crash", () => {
    const state = answered()
    expect(state.turn).toMatchObject({ over: true })
    expect(requiredEffects(state)).toEqual([{ type: "judge", id: "judge:trn_1", turnId: "trn_1" }])
    const next = sent(state, { type: "recover", evidence: {} }, by)
    expect(requiredEffects(next)).toEqual(requiredEffects(state))
  })

  it("ends with the verdict, which is stored first, and the next prompt starts", () => {
    const waiting = sent(answered(), prompt("more"), by)
    expect(types(eventsOf(waiting, verdict("yes"), by))).toEqual([
      "workflow.judged",
      "turn.ended",
      "turn.started",
      "prompt.promoted",
      "step.started",
    ])
  })

  it("can be interrupted while it is judged, and keeps its step", () => {
    const state = sent(answered(), { type: "interrupt" }, by)
    expect(requiredEffects(state)).toEqual([])
    expect(at(state)).toBe("size")
    expect(refusalOf(state, verdict("yes"), by)).toBe("report.stale")
  })

  it("is judged only after its answer", () => {
    const asking = sent(given(), prompt("a"), by)
    expect(refusalOf(asking, verdict("yes"), by)).toBe("report.stale")
    const calling = sent(asking, answer("stp_1", call("1")), by)
    expect(refusalOf(calling, verdict("yes"), by)).toBe("report.stale")
    expect(refusalOf(answered(), verdict("yes", "trn_other"), by)).toBe("report.stale")
  })

  it("that fails is not judged", () => {
    const state = sent(sent(given(), prompt("a"), by), { type: "model-failed", stepId: "stp_1", error: "no" }, by)
    expect(state.turn).toBeUndefined()
    expect(state.workflow).toBeUndefined()
  })

  it("ends without a verdict when its workflow was removed", () => {
    expect(types(eventsOf(answered(), verdict("failed"), {}))).toEqual(["turn.ended"])
  })
})

describe("a verdict", () => {
  it("moves to the next step only if it is yes", () => {
    expect(at(judged(given(), "yes"))).toBe("colour")
    for (const word of ["no", "maybe", "failed"] as const) expect(at(judged(given(), word))).toBe("size")
  })

  it("counts the turns at a step, and the third moves on in any case", () => {
    const two = judged(given(), "no", "failed")
    expect(two.workflow).toEqual({ step: "size", held: 2 })
    expect(eventsOf(answered(two), verdict("maybe"), by)[0]).toMatchObject({
      type: "workflow.judged",
      step: "size",
      verdict: "maybe",
      next: "colour",
      held: 0,
    })
  })

  it("resets the count at the next step", () => {
    expect(judged(given(), "no", "no", "yes", "no").workflow).toEqual({ step: "colour", held: 1 })
  })

  it("at the last step ends the workflow, and later turns are not judged", () => {
    const done = judged(given(), "yes", "yes", "yes")
    expect(at(done)).toBeUndefined()
    expect(answered(done).turn).toBeUndefined()
  })

  it("moves to the step's configured next step", () => {
    const back: Workflow = { goal: "g", steps: [step("a", { next: "c" }), step("b"), step("c", { next: "b" })] }
    const change = { workflow: back }
    const walk = ["c", "b", "c"].map(() => "yes" as const)
    let state = given()
    const places = walk.map((word) => {
      state = sent(
        sent(sent(state, prompt(`w${state.seq}`), change), answer("stp_1", "x"), change),
        verdict(word),
        change,
      )
      return at(state, back)
    })
    expect(places).toEqual(["c", "b", "c"])
  })

  it("is charged", () => {
    const usage = { input: 7, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
    const state = sent(answered(), { ...verdict("no"), usage, costUsd: 0.5 }, by)
    expect(state.spent).toEqual({ usd: 0.5, tokens: 8 })
  })
})

describe("a workflow that was changed", () => {
  it("starts at its first step if the current one was removed", () => {
    const other = { goal: "g", steps: [step("name"), step("pay")] }
    expect(at(judged(given(), "yes"), other)).toBe("name")
  })
})

describe("quick replies of a step", () => {
  const fixed = { workflow: { goal: "g", steps: [step("size", { quickReplies: ["S", "L"] })] } }

  it("are stored with the last text of a turn", () => {
    const events = eventsOf(sent(given(), prompt("a"), fixed), answer("stp_1", "Well.", "Which size?"), fixed)
    const told = events.flatMap((event) => (event.type === "text.ended" ? [event.suggestions] : []))
    expect(told).toEqual([undefined, ["S", "L"]])
  })

  it("are not stored with text before a call", () => {
    const events = eventsOf(sent(given(), prompt("a"), fixed), answer("stp_1", "Wait.", call("1")), fixed)
    expect(events).toContainEqual(expect.objectContaining({ type: "text.ended", suggestions: undefined }))
  })
})
