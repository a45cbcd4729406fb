import { describe, expect, it } from "vitest"
import type { EventOf } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import {
  after,
  answer,
  ask,
  call,
  calling,
  created,
  eventsOf,
  given,
  prompt,
  ready,
  refusalOf,
  sent,
  types,
  you,
} from "./fixtures/given.ts"
import type { RunnerReport } from "./report.ts"
import { initialState } from "./evolve.ts"
import { requiredEffects } from "./required-effects.ts"

describe("a prompt", () => {
  it("is admitted, promoted and starts a turn with its first step in one decision", () => {
    const events = eventsOf(given(), prompt("1"))
    expect(types(events)).toEqual(["prompt.admitted", "turn.started", "prompt.promoted", "step.started"])
  })

  it("is admitted once when sent twice with the same id", () => {
    const state = sent(given(), prompt("1"))
    expect(eventsOf(state, prompt("1"))).toEqual([])
  })

  it("is refused when its id was used for another text", () => {
    expect(refusalOf(sent(given(), prompt("1")), prompt("1", "other"))).toBe("prompt.conflict")
  })

  it("waits while a turn runs, and becomes the next turn", () => {
    const busy = sent(sent(given(), prompt("1")), prompt("2"), { id: "2" })
    expect(busy.waiting.map((waiting) => waiting.promptId)).toEqual(["prm_2"])
    const events = eventsOf(busy, answer("stp_1", "done"), { id: "3" })
    expect(types(events).slice(-4)).toEqual(["turn.ended", "turn.started", "prompt.promoted", "step.started"])
  })

  it("is refused while busy with ifBusy: refuse", () => {
    expect(refusalOf(sent(given(), prompt("1")), prompt("2", "hi", "refuse"))).toBe("session.busy")
  })

  it("that steers is promoted at the next tool boundary of the running turn", () => {
    const steered = sent(calling(call("a")), prompt("2", "also this", "steer"), { id: "3" })
    const started = sent(steered, ready("a"), { id: "4" })
    const events = eventsOf(
      started,
      { type: "call-settled", callId: "cal_a", outcome: "done", output: "" },
      { id: "5" },
    )
    expect(types(events)).toEqual(["tool.ended", "step.ended", "prompt.promoted", "step.started"])
  })

  it("that steers becomes the next turn without a tool boundary", () => {
    const steered = sent(sent(given(), prompt("1")), prompt("2", "also this", "steer"), { id: "2" })
    const events = eventsOf(steered, answer("stp_1", "done"), { id: "3" })
    expect(types(events).slice(-4)).toEqual(["turn.ended", "turn.started", "prompt.promoted", "step.started"])
  })

  it.each([
    ["empty", prompt("1", "  \n"), "prompt.empty"],
    ["too large", prompt("1", "x".repeat(limits.promptBytes + 1)), "prompt.too-large"],
  ])("that is %s is refused", (_, command, code) => {
    expect(refusalOf(given(), command)).toBe(code)
  })

  it("reopens a session that has ended", () => {
    const ended = sent(given(), { type: "end", when: "now" })
    expect(types(eventsOf(ended, prompt("1"))).slice(0, 2)).toEqual(["session.reopened", "prompt.admitted"])
  })

  it("can be withdrawn while it waits, and only then", () => {
    const busy = sent(sent(given(), prompt("1")), prompt("2"), { id: "2" })
    expect(types(eventsOf(busy, { type: "withdraw", promptId: "prm_2" }))).toEqual(["prompt.withdrawn"])
    expect(refusalOf(busy, { type: "withdraw", promptId: "prm_1" })).toBe("prompt.unknown")
  })

  it("is refused when the queue is full", () => {
    const admitted = Array.from({ length: limits.queuedPrompts }, (_, i): EventOf<"prompt.admitted"> => ({
      type: "prompt.admitted",
      promptId: `prm_q${i}`,
      text: "x",
      delivery: "next-turn",
      by: you,
    }))
    const full = given({ type: "turn.started", turnId: "trn_1" }, ...admitted)
    expect(refusalOf(full, prompt("more"))).toBe("queue.full")
  })
})

describe("a turn", () => {
  it("ends when the model answers without a tool call", () => {
    const events = eventsOf(sent(given(), prompt("1")), answer("stp_1", "done"))
    expect(types(events)).toEqual(["text.ended", "response.ended", "step.ended", "turn.ended"])
  })

  it("continues with the next step only when every call has a result", () => {
    const two = sent(sent(calling(call("a"), call("b")), ready("a"), { id: "3" }), ready("b"), { id: "4" })
    const one = eventsOf(two, { type: "call-settled", callId: "cal_b", outcome: "done", output: "" })
    expect(types(one)).toEqual(["tool.ended"])
    const both = eventsOf(after(two, one), { type: "call-settled", callId: "cal_a", outcome: "failed", output: "no" })
    expect(types(both)).toEqual(["tool.ended", "step.ended", "step.started"])
  })

  it("keeps its model; a selection applies from the next turn on", () => {
    const selected = sent(calling(call("a")), { type: "select-model", model: "other" })
    const next = eventsOf(selected, {
      type: "judged",
      callId: "cal_a",
      verdict: { kind: "refuse", by: "x", reason: "no" },
    })
    expect(next.find((event) => event.type === "step.started")?.model).toBe("offline/demo")
    expect(selected.model).toBe("other")
  })

  it("ends at the step limit", () => {
    let state = sent(given(), prompt("1"))
    for (let step = 1; step < created.limits.stepsPerTurn; step++) {
      state = sent(state, answer(state.turn?.step?.id ?? "stp_", call(`${step}`)), { id: `a${step}` })
      state = sent(
        state,
        { type: "judged", callId: `cal_${step}`, verdict: { kind: "refuse", by: "x", reason: "no" } },
        { id: `b${step}` },
      )
    }
    state = sent(state, answer(state.turn?.step?.id ?? "stp_", call("last")), { id: "c" })
    const events = eventsOf(state, {
      type: "judged",
      callId: "cal_last",
      verdict: { kind: "refuse", by: "x", reason: "no" },
    })
    expect(events.at(-1)).toMatchObject({ type: "turn.ended", reason: "step-limit" })
  })

  it("that fails keeps the streamed text", () => {
    const streamed = [{ block: 0, kind: "text", text: "half" }] as const
    const events = eventsOf(
      sent(given(), prompt("1")),
      { type: "model-failed", stepId: "stp_1", error: "cut" },
      { streamed },
    )
    expect(events).toMatchObject([
      { type: "text.ended", text: "half", interrupted: true },
      { type: "turn.ended", reason: "failed", error: "cut" },
    ])
  })

  it("parks without budget and resumes when the budget is raised", () => {
    const blocked = { type: "turn-blocked", stepId: "stp_1", why: "budget", message: "5 USD are spent" } as const
    const parked = sent(sent(given(), prompt("1")), blocked)
    expect(requiredEffects(parked)).toEqual([])
    const raised = sent(parked, { type: "raise-budget", budget: { usd: 10 } })
    expect(requiredEffects(raised)).toMatchObject([{ type: "call-model", stepId: "stp_1" }])
  })

  it("parks on a quota until its reset", () => {
    const blocked = { type: "turn-blocked", stepId: "stp_1", why: "quota", message: "later", until: 5000 } as const
    const parked = sent(sent(given(), prompt("1")), blocked)
    expect(requiredEffects(parked)).toMatchObject([{ type: "end-park", at: 5000 }])
    expect(requiredEffects(sent(parked, { type: "park-elapsed", turnId: "trn_1" }))).toMatchObject([
      { type: "call-model" },
    ])
  })
})

describe("a tool call", () => {
  it("with an invalid input is refused at once and the model is called again", () => {
    const broken = { ...call("a"), problem: "The input is not JSON." }
    const events = eventsOf(sent(given(), prompt("1")), answer("stp_1", broken), { id: "2" })
    expect(types(events)).toEqual(["tool.called", "tool.refused", "response.ended", "step.ended", "step.started"])
  })

  it("is not started twice", () => {
    const started = sent(calling(call("a")), ready("a"))
    expect(refusalOf(started, ready("a"))).toBe("report.stale")
  })

  it("that a hook changed continues with the new input", () => {
    const report: RunnerReport = {
      type: "judged",
      callId: "cal_a",
      verdict: { kind: "modify", by: "policy", input: { command: "safe" } },
    }
    expect(sent(calling(call("a")), report).turn?.step?.calls[0]).toMatchObject({
      input: { command: "safe" },
      modified: true,
    })
  })

  it("of a tool with an unknown earlier outcome needs an approval", () => {
    const crashed = sent(
      sent(calling(call("a"), call("b")), ready("a"), { id: "3" }),
      { type: "recover", evidence: {} },
      { id: "4" },
    )
    expect(crashed.unsettledTools).toEqual(["bash"])
    expect(types(eventsOf(crashed, ready("b")))).toEqual(["approval.requested"])
  })

  it("of a service session waits for the previous call", () => {
    const service = after(initialState, [{ ...created, preset: "service" }])
    const state = sent(sent(service, prompt("1")), answer("stp_1", call("a"), call("b")), { id: "2" })
    expect(requiredEffects(state)).toMatchObject([{ type: "run-call", callId: "cal_a" }])
    expect(requiredEffects(calling(call("a"), call("b")))).toHaveLength(2)
  })
})

describe("an interrupt", () => {
  it("of an idle session does nothing and is not an error", () => {
    expect(eventsOf(given(), { type: "interrupt" })).toEqual([])
  })

  it("closes text, calls, approvals and the turn in one append", () => {
    const state = sent(calling(call("a"), call("b")), ask("a"), { id: "9" })
    expect(types(eventsOf(state, { type: "interrupt" }))).toEqual([
      "tool.ended",
      "tool.ended",
      "approval.decided",
      "turn.ended",
    ])
  })

  it("makes every later report of that turn stale", () => {
    const stopped = sent(sent(calling(call("a")), ready("a")), { type: "interrupt" })
    expect(refusalOf(stopped, { type: "call-settled", callId: "cal_a", outcome: "done", output: "" })).toBe(
      "report.stale",
    )
    expect(refusalOf(stopped, answer("stp_1", "late"))).toBe("report.stale")
  })

  it("ends a compaction", () => {
    const state = sent(given(), { type: "compact" })
    expect(types(eventsOf(state, { type: "interrupt" }))).toEqual(["compaction.failed"])
  })
})

describe("compaction", () => {
  it("is refused while a turn runs", () => {
    expect(refusalOf(sent(given(), prompt("1")), { type: "compact" })).toBe("session.busy")
  })

  it("delays a step until the context has room", () => {
    const full = sent(sent(given(), prompt("1")), { type: "context-full", stepId: "stp_1" }, { id: "7" })
    expect(requiredEffects(full)).toMatchObject([{ type: "compact", compactionId: "cmp_7" }])
    const done: RunnerReport = {
      type: "compacted",
      compactionId: "cmp_7",
      summary: "s",
      upToSeq: 1,
      usage: undefined,
      costUsd: 0.5,
    }
    expect(requiredEffects(sent(full, done))).toMatchObject([{ type: "call-model" }])
    expect(sent(full, done).spent.usd).toBe(0.5)
  })

  it("that fails in a full context fails the turn", () => {
    const full = sent(sent(given(), prompt("1")), { type: "context-full", stepId: "stp_1" }, { id: "7" })
    const events = eventsOf(full, { type: "compaction-failed", compactionId: "cmp_7", error: "no" })
    expect(types(events)).toEqual(["compaction.failed", "turn.ended"])
  })
})

describe("the end of a session", () => {
  it("announces that the parent exits, whether the session is idle or busy", () => {
    const end = { type: "end", when: "now", parentExits: true } as const
    const tree = { by: { principal: "p", door: "tree" } }
    expect(types(eventsOf(given(), end, tree))).toEqual(["session.ending", "session.ended"])
    expect(types(eventsOf(calling(call("a")), end, tree)).at(0)).toBe("session.ending")
    expect(types(eventsOf(given(), { type: "end", when: "now" }, tree))).toEqual(["session.ended"])
  })

  it("interrupts the turn and withdraws every waiting prompt", () => {
    const busy = sent(sent(given(), prompt("1")), prompt("2"), { id: "2" })
    expect(types(eventsOf(busy, { type: "end", when: "now" }))).toEqual([
      "turn.ended",
      "prompt.withdrawn",
      "session.ended",
    ])
  })

  it("waits for turn and queue with when: idle", () => {
    const ending = sent(sent(given(), prompt("1")), { type: "end", when: "idle" })
    expect(ending.life).toBe("open")
    expect(sent(ending, answer("stp_1", "done")).life).toBe("ended")
  })
})

describe("after a crash", () => {
  it("streamed text is stored and a new step continues it", () => {
    const streamed = [{ block: 0, kind: "text", text: "once upon" }] as const
    const events = eventsOf(sent(given(), prompt("1")), { type: "recover", evidence: {} }, { streamed, id: "8" })
    expect(events).toMatchObject([
      { type: "text.ended", stepId: "stp_1", text: "once upon", interrupted: true },
      { type: "step.started", stepId: "stp_8", continues: "stp_1" },
    ])
  })

  it("a step without text calls its model again", () => {
    const state = sent(given(), prompt("1"))
    expect(eventsOf(state, { type: "recover", evidence: {} })).toEqual([])
    expect(requiredEffects(state)).toMatchObject([{ type: "call-model", stepId: "stp_1" }])
  })

  it("an unsafe call that had started is unsettled, with the evidence, and never runs again", () => {
    const crashed = sent(calling(call("a")), ready("a"))
    const events = eventsOf(crashed, { type: "recover", evidence: { cal_a: "its process was gone" } })
    expect(events[0]).toEqual({ type: "tool.unsettled", callId: "cal_a", evidence: "its process was gone" })
    expect(refusalOf(after(crashed, events), ready("a"))).toBe("report.stale")
  })

  it("a call that may be repeated starts again with the same key", () => {
    const crashed = sent(calling(call("a", "read")), ready("a", "digest", "read"))
    expect(eventsOf(crashed, { type: "recover", evidence: {} })).toEqual([])
    expect(eventsOf(crashed, ready("a", "digest", "read"))).toMatchObject([
      { type: "tool.started", idempotencyKey: "cal_a" },
    ])
  })
})
