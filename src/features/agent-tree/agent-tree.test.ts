import { describe, expect, it } from "vitest"
import type { EventOf } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import {
  after,
  answer,
  call,
  created,
  eventsOf,
  given,
  prompt,
  refusalOf,
  sent,
  types,
} from "../../session/fixtures/given.ts"
import type { RunnerReport } from "../../session/report.ts"
import { type SessionState } from "../../session/state.ts"
import { initialState } from "../../session/evolve.ts"
import { requiredEffects } from "../../session/required-effects.ts"

const idOf = (n: number) => `01890000-0000-7000-8000-00000000010${n}`
const spawn = (n: number) => ({ type: "spawn", childId: idOf(n), task: "look" }) as const
const tree = { by: { principal: "the parent", door: "tree" } }

const ended: RunnerReport = {
  type: "child-ended",
  childId: idOf(1),
  outcome: "done",
  result: "",
  costUsd: 2,
  tokens: 3,
}

const asked: RunnerReport = {
  type: "child-asked",
  childId: idOf(1),
  sessionId: idOf(7),
  approvalId: "apr_far",
  tool: "bash",
  input: { command: "rm x" },
  digest: "d",
  reason: "r",
  audience: "driver",
}

/** A child, as its own log has it. */
function child(depth = 1): SessionState {
  const parent = { sessionId: idOf(9), rootId: idOf(9), depth, reason: "r" }
  const event: EventOf<"session.created"> = { ...created, parent }
  return after(initialState, [event])
}

describe("children", () => {
  it("are limited in number and depth", () => {
    const two = sent(sent(given(), spawn(1)), spawn(2))
    expect(refusalOf(two, spawn(3))).toBe("child.too-many")
    expect(refusalOf(two, spawn(2))).toBe("child.exists")
    expect(refusalOf(child(2), spawn(1))).toBe("child.too-deep")
  })

  it("are kept while they live, ended on request, and charged to their parent", () => {
    const one = sent(given(), spawn(1))
    expect(requiredEffects(one)).toMatchObject([{ type: "keep-child" }])
    const told = sent(one, { type: "signal-children", action: "force-shutdown" })
    expect(requiredEffects(told)).toMatchObject([{ type: "keep-child" }, { type: "end-child", when: "now" }])
    expect(sent(told, ended)).toMatchObject({ children: [], spent: { usd: 2, tokens: 3 } })
    expect(refusalOf(sent(told, ended), spawn(1))).toBe("child.exists")
  })

  it("that are detached belong to no parent afterwards and are not charged to it", () => {
    const leaving = sent(sent(given(), spawn(1)), { type: "signal-children", action: "detach" })
    expect(requiredEffects(leaving)).toMatchObject([{ type: "detach-child", childId: idOf(1) }])
    const called = sent(leaving, { type: "signal-children", action: "force-shutdown" })
    expect(requiredEffects(called)).toMatchObject([{ type: "detach-child" }])
    const gone = sent(called, { type: "child-detached", childId: idOf(1) })
    expect(gone).toMatchObject({ children: [], endedChildren: [], spent: { usd: 0 } })
    expect(refusalOf(gone, ended)).toBe("report.stale")
  })

  it("stay stopped: shutdown-if-idle after force-shutdown changes nothing", () => {
    const stopped = sent(sent(given(), spawn(1)), { type: "signal-children", action: "force-shutdown" })
    expect(sent(stopped, { type: "signal-children", action: "shutdown-if-idle" }).children).toMatchObject([
      { ending: "now" },
    ])
  })

  it("whose answer a call waits for end with the call", () => {
    const calling = sent(sent(given(), prompt("1")), answer("stp_1", call("1", "subagent")), { id: "2" })
    const blocking = sent(calling, { ...spawn(1), callId: "cal_1" })
    expect(requiredEffects(blocking).map(({ type }) => type)).toEqual(["run-call", "keep-child"])
    const interrupted = sent(blocking, { type: "interrupt" })
    expect(requiredEffects(interrupted)).toMatchObject([{ type: "keep-child" }, { type: "end-child", when: "now" }])
  })

  it("get no task that is too long for a prompt", () => {
    const task = "x".repeat(limits.promptBytes + 1)
    expect(refusalOf(given(), { ...spawn(1), task })).toBe("prompt.too-large")
    expect(refusalOf(given(), { ...spawn(1), task: "x", system: task })).toBe("prompt.too-large")
  })

  it("stay tainted by untrusted text when their parent sends a prompt", () => {
    const told = sent(child(), { ...prompt("1"), untrustedSource: "mail" })
    const done = sent(told, answer("stp_1", "read"))
    expect(sent(done, prompt("2"), { ...tree, id: "2" }).taintedBy).toBe("mail")
    expect(sent(done, prompt("2"), { id: "2" }).taintedBy).toBeUndefined()
  })

  it("reopen an ended session", () => {
    const over = sent(given(), { type: "end", when: "now" })
    expect(types(eventsOf(over, spawn(1)))).toEqual(["session.reopened", "child.spawned"])
    expect(types(eventsOf(sent(over, spawn(1)), { type: "end", when: "now" }))).toContain("children.signalled")
  })

  it("are all ended when their parent is stopped", () => {
    const two = sent(sent(given(), spawn(1)), spawn(2))
    expect(types(eventsOf(two, { type: "end", when: "now" }))).toEqual(["children.signalled", "session.ended"])
    const ends = requiredEffects(sent(two, { type: "end", when: "now" })).filter(({ type }) => type === "end-child")
    expect(ends).toHaveLength(2)
  })
})

describe("a request of a descendant", () => {
  const asking = sent(sent(given(), spawn(1)), asked)

  it("is recorded once, and settled once", () => {
    expect(asking.childApprovals).toMatchObject([{ id: "apr_far", sessionId: idOf(7), outcome: undefined }])
    expect(refusalOf(asking, asked)).toBe("report.stale")
    const answered = { type: "child-answered", childId: idOf(1), approvalId: "apr_far", outcome: "approved" } as const
    const settled = sent(asking, answered)
    expect(refusalOf(settled, answered)).toBe("report.stale")
    expect(refusalOf(settled, { type: "approve", approvalId: "apr_far", approved: true })).toBe("approval.settled")
  })

  it("is not decided by an interrupt or the end of this session", () => {
    const busy = sent(asking, prompt("1"))
    expect(types(eventsOf(busy, { type: "interrupt" }))).toEqual(["turn.ended"])
    expect(types(eventsOf(busy, { type: "end", when: "now" }))).not.toContain("child.answered")
  })

  it("becomes void when the child ends or detaches", () => {
    expect(types(eventsOf(asking, ended))).toEqual(["child.answered", "child.ended"])
    const leaving = sent(asking, { type: "signal-children", action: "detach" })
    expect(types(eventsOf(leaving, { type: "child-detached", childId: idOf(1) }))).toEqual([
      "child.answered",
      "child.detached",
    ])
  })

  it("is ignored from sessions that are not children", () => {
    expect(refusalOf(given(), asked)).toBe("report.stale")
  })
})

describe("an orphan", () => {
  it("is the root of its own tree, once", () => {
    const orphan = sent(child(2), { type: "orphan" })
    expect(orphan.created).not.toHaveProperty("parent")
    expect(refusalOf(orphan, spawn(1))).toBe("accepted")
    expect(eventsOf(orphan, { type: "orphan" })).toEqual([])
  })

  it("does not end when idle because its former parent requested it", () => {
    const told = sent(sent(child(), prompt("1")), { type: "end", when: "idle" }, tree)
    expect(sent(told, answer("stp_1", "done")).life).toBe("ended")
    expect(sent(sent(told, { type: "orphan" }), answer("stp_1", "done")).life).toBe("open")
  })

  it("ends when idle if a person requested it too", () => {
    const told = sent(sent(child(), prompt("1")), { type: "end", when: "idle" }, tree)
    const both = sent(told, { type: "end", when: "idle" })
    expect(sent(sent(both, { type: "orphan" }), answer("stp_1", "done")).life).toBe("ended")
  })
})

describe("a session that ends when idle", () => {
  it("stays when a client sends stay", () => {
    const told = sent(sent(given(), prompt("1")), { type: "end", when: "idle" })
    const kept = sent(told, { type: "stay" })
    expect(sent(kept, answer("stp_1", "done")).life).toBe("open")
    expect(eventsOf(kept, { type: "stay" })).toEqual([])
  })

  it("ends anyway when its parent requested it", () => {
    const told = sent(sent(child(), prompt("1")), { type: "end", when: "idle" }, tree)
    expect(eventsOf(told, { type: "stay" })).toEqual([])
    expect(sent(told, answer("stp_1", "done")).life).toBe("ended")
  })
})

describe("a hibernated session", () => {
  const busy = sent(given(), prompt("1"))
  const asleep = sent(busy, { type: "hibernate" })

  it("requires no effects and does not advance", () => {
    expect(requiredEffects(sent(asleep, spawn(1)))).toEqual([])
    expect(eventsOf(asleep, { type: "hibernate" })).toEqual([])
    expect(types(eventsOf(asleep, answer("stp_1", "done")))).toEqual(["text.ended", "response.ended"])
  })

  it("is reopened when it is woken after its end", () => {
    const over = sent(given(), { type: "end", when: "now" })
    expect(sent(over, { type: "wake" }).life).toBe("open")
  })

  it("continues where it was when it is woken", () => {
    const woken = sent(asleep, { type: "wake" })
    expect(requiredEffects(woken)).toEqual(requiredEffects(busy))
    expect(eventsOf(woken, { type: "wake" })).toEqual([])
  })

  it("keeps streamed text", () => {
    const streamed = [{ block: 0, kind: "text", text: "half" } as const]
    expect(eventsOf(busy, { type: "hibernate" }, { streamed, id: "2" })).toMatchObject([
      { type: "text.ended", text: "half", interrupted: true },
      { type: "step.started", continues: "stp_1" },
      { type: "session.hibernated" },
    ])
  })

  it("marks a running unsafe call as unsettled", () => {
    const calling = sent(busy, answer("stp_1", call("1")), { id: "2" })
    const running = sent(calling, {
      type: "call-ready",
      callId: "cal_1",
      class: "unsafe",
      digest: "d",
      waitMs: undefined,
    })
    expect(eventsOf(running, { type: "hibernate" })).toMatchObject([
      { type: "tool.unsettled", evidence: "It was stopped when the session was hibernated." },
      { type: "session.hibernated" },
    ])
  })

  it("is woken by a prompt, an answer or resume", () => {
    expect(types(eventsOf(asleep, prompt("2")))).toEqual(["session.woken", "prompt.admitted"])
    expect(types(eventsOf(asleep, { type: "resume" }))).toEqual(["session.woken"])
    const calling = sent(busy, answer("stp_1", call("1")), { id: "2" })
    const asking = sent(
      calling,
      {
        type: "approval-needed",
        callId: "cal_1",
        reason: "r",
        audience: "driver",
        causes: ["preset"],
        digest: "d",
        waitMs: undefined,
      },
      { id: "3" },
    )
    const resting = sent(asking, { type: "hibernate" })
    expect(types(eventsOf(resting, { type: "approve", approvalId: "apr_3", approved: true }))).toEqual([
      "session.woken",
      "approval.decided",
    ])
    expect(refusalOf(resting, { type: "approve", approvalId: "apr_9", approved: true })).toBe("approval.unknown")
  })

  it("can be ended, and an ended session cannot be hibernated", () => {
    const stopped = sent(asleep, { type: "end", when: "now" })
    expect(stopped).toMatchObject({ life: "ended", asleep: false })
    expect(eventsOf(stopped, { type: "hibernate" })).toEqual([])
  })
})

describe("a turn without an owner", () => {
  const busy = sent(given(), prompt("1"))
  const adopt: RunnerReport = { type: "adopt", host: "h", idleSince: 0 }

  it("is adopted three times without progress, then parked", () => {
    let state = busy
    for (let attempt = 1; attempt <= limits.adoptions; attempt++) {
      expect(eventsOf(state, adopt)).toEqual([{ type: "turn.adopted", turnId: "trn_1", host: "h", attempt }])
      state = sent(state, adopt)
    }
    expect(eventsOf(state, adopt)).toMatchObject([{ type: "turn.parked", why: "adoption" }])
    const resumed = sent(sent(state, adopt), { type: "resume" })
    expect(requiredEffects(resumed)).toEqual(requiredEffects(busy))
    expect(eventsOf(resumed, adopt)).toMatchObject([{ type: "turn.adopted", attempt: 1 }])
  })

  it("resets the count of adoptions when it makes progress", () => {
    const twice = sent(sent(busy, adopt), adopt)
    const further = sent(twice, answer("stp_1", call("1")), { id: "2" })
    expect(eventsOf(further, adopt)).toMatchObject([{ attempt: 1 }])
  })

  it("is parked when it was left for more than an hour", () => {
    const late = { at: limits.adoptionAgeMs + 1 }
    expect(eventsOf(busy, adopt, late)).toMatchObject([{ type: "turn.parked", why: "adoption" }])
  })

  it("is not adopted where it waits for a person", () => {
    expect(eventsOf(given(), adopt)).toEqual([])
    expect(eventsOf(sent(busy, { type: "hibernate" }), adopt)).toEqual([])
    const blocked = sent(busy, { type: "turn-blocked", stepId: "stp_1", why: "budget", message: "spent" })
    expect(eventsOf(blocked, adopt)).toEqual([])
  })

  it("is not counted for a session that waits for its agents", () => {
    const late = { at: limits.adoptionAgeMs + 1 }
    const calling = sent(busy, answer("stp_1", call("1", "subagent"), call("2", "subagent_collect")), { id: "2" })
    const waiting = sent(calling, { ...spawn(1), callId: "cal_1" })
    expect(eventsOf(waiting, adopt, late)).toEqual([])
    const working = sent(busy, answer("stp_1", call("1", "subagent"), call("2")), { id: "2" })
    expect(eventsOf(sent(working, { ...spawn(1), callId: "cal_1" }), adopt, late)).toMatchObject([
      { type: "turn.parked" },
    ])
  })
})
