import fc from "fast-check"
import { finishSentence } from "../../contract/finish-sentence.ts"
import { describe, expect, it } from "vitest"
import {
  asks,
  begun,
  by,
  called,
  decided,
  done,
  ended,
  inShort,
  result,
  staff,
  started,
  Telling,
} from "./fixtures/encoder-probe.ts"
import { checkServerEvent } from "./generated/events.js"

describe("a question to the visitor", () => {
  it("stands before the call that waits for it, and is answered for good", () => {
    const telling = new Telling().event(...begun, called("cal_1", "pay"), asks("apr_1", "cal_1"))
    expect(telling.story).toEqual(["write_confirmation_required", "toolCall pay"])
    expect(telling.view.approval).toBe("apr_1")
    telling.event(decided("apr_1", "approved"), started("cal_1"), result("cal_1"))
    expect(telling.story.slice(2)).toEqual(["toolResult pay"])
    expect(telling.view.approval).toBeUndefined()
  })

  it("is shown alone: the next one comes when it is settled", () => {
    const telling = new Telling().event(...begun, called("cal_1", "pay"), called("cal_2", "pay"))
    telling.event(asks("apr_1", "cal_1"), asks("apr_2", "cal_2"))
    expect(telling.story).toEqual(["write_confirmation_required", "toolCall pay"])
    telling.now = 5000
    telling.event(decided("apr_1", "denied", staff))
    expect(telling.story.slice(2)).toEqual(["write_confirmation_required", "toolCall pay"])
    expect(telling.view).toMatchObject({ approval: "apr_2", replaced: { approvalId: "apr_1", at: 5000 } })
  })

  it("says which one it took the place of, also when it is asked only later", () => {
    const telling = new Telling().event(...begun, called("cal_1", "pay"), called("cal_2", "pay"))
    telling.event(asks("apr_1", "cal_1"), decided("apr_1", "approved", staff), started("cal_1"), result("cal_1"))
    telling.now = 7000
    telling.event(asks("apr_2", "cal_2"))
    expect(telling.view).toMatchObject({ approval: "apr_2", replaced: { approvalId: "apr_1", at: 7000 } })
  })

  it("is not put at the end of a turn that is cut off", () => {
    const telling = new Telling().event(...begun, called("cal_1", "pay"), called("cal_2", "pay"))
    telling.event(asks("apr_1", "cal_1"), asks("apr_2", "cal_2"), decided("apr_1", "void"), decided("apr_2", "void"))
    telling.event({ type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(telling.story).toEqual(["write_confirmation_required", "toolCall pay", "cancelled"])
  })

  it("to somebody else is not shown, but the call is, and that the turn lives can be told", () => {
    const telling = new Telling().event(...begun, called("cal_1", "pay"))
    telling.event({ ...asks("apr_1", "cal_1"), audience: "approver" })
    expect(telling.story).toEqual(["toolCall pay"])
    expect([telling.view.approval, telling.view.waitsForStaff]).toEqual([undefined, true])
    telling.event(decided("apr_1", "approved", staff))
    expect(telling.view.waitsForStaff).toBe(false)
  })

  it("may be a card", () => {
    const interactionId = "0f0e0d0c-0b0a-4908-8706-050403020100"
    const telling = new Telling().event(...begun, called("cal_1", "request_choices"))
    const spec = { questions: [] }
    telling.event({
      type: "interaction.requested",
      interactionId,
      callId: "cal_1",
      kind: "choices",
      spec,
      reason: "why",
    })
    expect(telling.story).toEqual(["interaction_required", "toolCall request_choices"])
    expect(telling.view.interaction).toEqual({ id: interactionId, kind: "choices", spec })
    telling.event({ type: "interaction.answered", interactionId, outcome: "declined" }, result("cal_1"))
    expect(telling.view.interaction).toBeUndefined()
    expect(telling.story.slice(2)).toEqual(["toolResult request_choices"])
  })
})

describe("whoever comes in later", () => {
  const replayed = (telling: Telling) => (telling.view.turn?.told ?? []).map(inShort)

  it("is told the same from the beginning, with words that follow each other joined", () => {
    const telling = new Telling().event(...begun).words("a", "b", "c")
    telling.event(ended("abc"), called("cal_1", "look"), started("cal_1"))
    expect(replayed(telling)).toEqual(["stream_token abc", "toolCall look"])
    for (const event of telling.view.turn?.told ?? []) expect(checkServerEvent(event)).toBe(true)
  })

  it("is asked what is still open, and not what was answered", () => {
    const telling = new Telling().event(...begun, called("cal_1", "pay"), asks("apr_1", "cal_1"))
    expect(replayed(telling)).toEqual(["write_confirmation_required", "toolCall pay"])
    telling.event(decided("apr_1", "approved"), started("cal_1"))
    expect(replayed(telling)).toEqual(["toolCall pay"])
  })
})

describe("other turns and messages", () => {
  it("that follow have their own ids and their own end", () => {
    const telling = new Telling().event(...begun, ended("one"), done)
    telling.event(
      { type: "turn.started", turnId: "trn_2", reference: "r2" },
      { type: "step.started", stepId: "stp_2", turnId: "trn_2", model: "m" },
      { type: "text.ended", stepId: "stp_2", block: 0, text: "two" },
      { type: "turn.ended", turnId: "trn_2", reason: "done" },
    )
    expect(telling.frames.map((event) => ("requestId" in event ? event.requestId : ""))).toEqual([
      "r1",
      "r1",
      "r2",
      "r2",
    ])
  })

  it("that are taken back before their turn are told as cancelled, under their own id", () => {
    const telling = new Telling().event(...begun)
    telling.event(
      { type: "prompt.admitted", promptId: "prm_2", text: "x", delivery: "next-turn", by, reference: "r2" },
      { type: "prompt.withdrawn", promptId: "prm_2", reason: "" },
    )
    expect(telling.frames).toMatchObject([{ type: "cancelled", requestId: "r2" }])
    expect(telling.view.turn?.isOver).toBe(false)
  })

  it("whose answer is not whole end with an error where nothing was said, and else with a part that says so", () => {
    const refused = { type: "turn.ended", turnId: "trn_1", reason: "done", finish: "refusal" } as const
    const silent = new Telling().event(...begun, refused)
    expect(JSON.stringify(silent.frames)).toContain(finishSentence("refusal"))
    const text = { type: "text.ended", stepId: "stp_1", block: 0, text: "Half" } as const
    const cut = new Telling().event(...begun, text, { ...refused, finish: "length" })
    expect(JSON.stringify(cut.frames)).toContain(JSON.stringify(["Half", finishSentence("length")]))
  })

  it("that cannot go on are told as failed, once", () => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "5 USD are spent" })
    telling.event({ type: "turn.resumed", turnId: "trn_1" }, ended("late"), done)
    expect(telling.story).toEqual(["error AGENT_ERROR"])
  })
})

describe("whatever happens in a turn", () => {
  const happening = fc.constantFrom<(telling: Telling) => void>(
    (telling) => telling.words("w"),
    (telling) => telling.event(ended("www")),
    (telling) => telling.delta({ type: "preamble", turnId: "trn_1", text: "p" }),
    (telling) => telling.event(called("cal_1", "look"), started("cal_1"), result("cal_1")),
    (telling) => telling.event(called("cal_2", "pay"), asks("apr_1", "cal_2")),
    (telling) => telling.event(decided("apr_1", "denied")),
    (telling) => telling.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "m" }),
    (telling) => telling.event({ type: "turn.resumed", turnId: "trn_1" }),
  )
  const reasons = ["done", "interrupted", "failed", "step-limit"] as const

  it("there is one end of it, and nothing after that", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), fc.constantFrom(...reasons), (things, reason) => {
        const telling = new Telling().event(...begun)
        for (const thing of things) thing(telling)
        telling.event({ type: "turn.ended", turnId: "trn_1", reason })
        telling.words("late").event(result("cal_1"))
        const ends = telling.frames.filter(({ type }) => ["eventual_response", "error", "cancelled"].includes(type))
        expect(ends).toHaveLength(1)
        expect(telling.frames.at(-1)).toBe(ends[0])
        expect(telling.ends.filter(Boolean)).toHaveLength(1)
      }),
    )
  })
})
