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
  EncoderProbe,
} from "./fixtures/encoder-probe.ts"
import { checkServerEvent } from "./generated/events.js"

describe("a question to the visitor", () => {
  it("stands before the call that waits for it, and is answered for good", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), asks("apr_1", "cal_1"))
    expect(probe.story).toEqual(["write_confirmation_required", "toolCall pay"])
    expect(probe.encoder.approval).toBe("apr_1")
    probe.event(decided("apr_1", "approved"), started("cal_1"), result("cal_1"))
    expect(probe.story.slice(2)).toEqual(["toolResult pay"])
    expect(probe.encoder.approval).toBeUndefined()
  })

  it("is shown alone: the next one comes when it is settled", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), called("cal_2", "pay"))
    probe.event(asks("apr_1", "cal_1"), asks("apr_2", "cal_2"))
    expect(probe.story).toEqual(["write_confirmation_required", "toolCall pay"])
    probe.now = 5000
    probe.event(decided("apr_1", "denied", staff))
    expect(probe.story.slice(2)).toEqual(["write_confirmation_required", "toolCall pay"])
    expect(probe.encoder).toMatchObject({ approval: "apr_2", replaced: { approvalId: "apr_1", at: 5000 } })
  })

  it("says which one it took the place of, also when it is asked only later", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), called("cal_2", "pay"))
    probe.event(asks("apr_1", "cal_1"), decided("apr_1", "approved", staff), started("cal_1"), result("cal_1"))
    probe.now = 7000
    probe.event(asks("apr_2", "cal_2"))
    expect(probe.encoder).toMatchObject({ approval: "apr_2", replaced: { approvalId: "apr_1", at: 7000 } })
  })

  it("is not put at the end of a turn that is cut off", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), called("cal_2", "pay"))
    probe.event(asks("apr_1", "cal_1"), asks("apr_2", "cal_2"), decided("apr_1", "void"), decided("apr_2", "void"))
    probe.event({ type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(probe.story).toEqual(["write_confirmation_required", "toolCall pay", "cancelled"])
  })

  it("to somebody else is not shown, but the call is, and that the turn lives can be told", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"))
    probe.event({ ...asks("apr_1", "cal_1"), audience: "approver" })
    expect(probe.story).toEqual(["toolCall pay"])
    expect([probe.encoder.approval, probe.encoder.waitsForStaff]).toEqual([undefined, true])
    probe.event(decided("apr_1", "approved", staff))
    expect(probe.encoder.waitsForStaff).toBe(false)
  })

  it("may be a card", () => {
    const interactionId = "0f0e0d0c-0b0a-4908-8706-050403020100"
    const probe = new EncoderProbe().event(...begun, called("cal_1", "request_choices"))
    const spec = { questions: [] }
    probe.event({
      type: "interaction.requested",
      interactionId,
      callId: "cal_1",
      kind: "choices",
      spec,
      reason: "why",
    })
    expect(probe.story).toEqual(["interaction_required", "toolCall request_choices"])
    expect(probe.encoder.interaction).toMatchObject({ interactionId, kind: "choices", spec })
    probe.event({ type: "interaction.answered", interactionId, outcome: "declined" }, result("cal_1"))
    expect(probe.encoder.interaction).toBeUndefined()
    expect(probe.story.slice(2)).toEqual(["toolResult request_choices"])
  })
})

describe("whoever comes in later", () => {
  const replayed = (probe: EncoderProbe) => (probe.encoder.turn?.sent ?? []).map(inShort)

  it("is told the same from the beginning, with words that follow each other joined", () => {
    const probe = new EncoderProbe().event(...begun).words("a", "b", "c")
    probe.event(ended("abc"), called("cal_1", "look"), started("cal_1"))
    expect(replayed(probe)).toEqual(["stream_token abc", "toolCall look"])
    for (const event of probe.encoder.turn?.sent ?? []) expect(checkServerEvent(event)).toBe(true)
  })

  it("is asked what is still open, and not what was answered", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), asks("apr_1", "cal_1"))
    expect(replayed(probe)).toEqual(["write_confirmation_required", "toolCall pay"])
    probe.event(decided("apr_1", "approved"), started("cal_1"))
    expect(replayed(probe)).toEqual(["toolCall pay"])
  })
})

describe("other turns and messages", () => {
  it("that follow have their own ids and their own end", () => {
    const probe = new EncoderProbe().event(...begun, ended("one"), done)
    probe.event(
      { type: "turn.started", turnId: "trn_2", reference: "r2" },
      { type: "step.started", stepId: "stp_2", turnId: "trn_2", model: "m" },
      { type: "text.ended", stepId: "stp_2", block: 0, text: "two" },
      { type: "turn.ended", turnId: "trn_2", reason: "done" },
    )
    expect(probe.frames.map((event) => ("requestId" in event ? event.requestId : ""))).toEqual(["r1", "r1", "r2", "r2"])
  })

  it("that are taken back before their turn are told as cancelled, under their own id", () => {
    const probe = new EncoderProbe().event(...begun)
    probe.event(
      { type: "prompt.admitted", promptId: "prm_2", text: "x", delivery: "next-turn", by, reference: "r2" },
      { type: "prompt.withdrawn", promptId: "prm_2", reason: "" },
    )
    expect(probe.frames).toMatchObject([{ type: "cancelled", requestId: "r2" }])
    expect(probe.encoder.turn?.isOver).toBe(false)
  })

  it("whose answer is not whole end with an error where nothing was said, and else with a part that says so", () => {
    const refused = { type: "turn.ended", turnId: "trn_1", reason: "done", finish: "refusal" } as const
    const silent = new EncoderProbe().event(...begun, refused)
    expect(JSON.stringify(silent.frames)).toContain(finishSentence("refusal"))
    const text = { type: "text.ended", stepId: "stp_1", block: 0, text: "Half" } as const
    const cut = new EncoderProbe().event(...begun, text, { ...refused, finish: "length" })
    expect(JSON.stringify(cut.frames)).toContain(JSON.stringify(["Half", finishSentence("length")]))
  })

  it("that cannot go on are told as failed, once", () => {
    const probe = new EncoderProbe().event(...begun)
    probe.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "5 USD are spent" })
    probe.event({ type: "turn.resumed", turnId: "trn_1" }, ended("late"), done)
    expect(probe.story).toEqual(["error AGENT_ERROR"])
  })
})

describe("whatever happens in a turn", () => {
  const happening = fc.constantFrom<(probe: EncoderProbe) => void>(
    (probe) => probe.words("w"),
    (probe) => probe.event(ended("www")),
    (probe) => probe.delta({ type: "preamble", turnId: "trn_1", text: "p" }),
    (probe) => probe.event(called("cal_1", "look"), started("cal_1"), result("cal_1")),
    (probe) => probe.event(called("cal_2", "pay"), asks("apr_1", "cal_2")),
    (probe) => probe.event(decided("apr_1", "denied")),
    (probe) => probe.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "m" }),
    (probe) => probe.event({ type: "turn.resumed", turnId: "trn_1" }),
  )
  const reasons = ["done", "interrupted", "failed", "step-limit"] as const

  it("there is one end of it, and nothing after that", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), fc.constantFrom(...reasons), (things, reason) => {
        const probe = new EncoderProbe().event(...begun)
        for (const thing of things) thing(probe)
        probe.event({ type: "turn.ended", turnId: "trn_1", reason })
        probe.words("late").event(result("cal_1"))
        const ends = probe.frames.filter(({ type }) => ["eventual_response", "error", "cancelled"].includes(type))
        expect(ends).toHaveLength(1)
        expect(probe.frames.at(-1)).toBe(ends[0])
        expect(probe.ends.filter(Boolean)).toHaveLength(1)
      }),
    )
  })
})
