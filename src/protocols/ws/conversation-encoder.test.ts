import fc from "fast-check"
import { finishSentence } from "../../contract/text/finish-sentence.ts"
import { describe, expect, it } from "vitest"
import {
  asks,
  turnStarted,
  by,
  called,
  decided,
  turnEnded,
  ended,
  summaryOf,
  result,
  staff,
  started,
  EncoderProbe,
} from "./fixtures/encoder-probe.ts"
import { checkServerEvent } from "./generated/events.js"

describe("requests to the visitor", () => {
  it("a card comes before the call that waits for it, and is gone once answered", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), asks("apr_1", "cal_1"))
    expect(probe.summary).toEqual(["write_confirmation_required", "toolCall pay"])
    expect(probe.encoder.approval).toBe("apr_1")
    probe.event(decided("apr_1", "approved"), started("cal_1"), result("cal_1"))
    expect(probe.summary.slice(2)).toEqual(["toolResult pay"])
    expect(probe.encoder.approval).toBeUndefined()
  })

  it("one card is shown at a time: the next comes when it is settled", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), called("cal_2", "pay"))
    probe.event(asks("apr_1", "cal_1"), asks("apr_2", "cal_2"))
    expect(probe.summary).toEqual(["write_confirmation_required", "toolCall pay"])
    probe.now = 5000
    probe.event(decided("apr_1", "denied", staff))
    expect(probe.summary.slice(2)).toEqual(["write_confirmation_required", "toolCall pay"])
    expect(probe.encoder).toMatchObject({ approval: "apr_2", replaced: { approvalId: "apr_1", at: 5000 } })
  })

  it("reports which card the shown one replaced, also when it is requested later", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), called("cal_2", "pay"))
    probe.event(asks("apr_1", "cal_1"), decided("apr_1", "approved", staff), started("cal_1"), result("cal_1"))
    probe.now = 7000
    probe.event(asks("apr_2", "cal_2"))
    expect(probe.encoder).toMatchObject({ approval: "apr_2", replaced: { approvalId: "apr_1", at: 7000 } })
  })

  it("shows no further card when the turn is interrupted", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), called("cal_2", "pay"))
    probe.event(asks("apr_1", "cal_1"), asks("apr_2", "cal_2"), decided("apr_1", "void"), decided("apr_2", "void"))
    probe.event({ type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(probe.summary).toEqual(["write_confirmation_required", "toolCall pay", "cancelled"])
  })

  it("an approval by staff shows the call without a card, and the turn needs keepalive", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"))
    probe.event({ ...asks("apr_1", "cal_1"), audience: "approver" })
    expect(probe.summary).toEqual(["toolCall pay"])
    expect([probe.encoder.approval, probe.encoder.waitsForStaff]).toEqual([undefined, true])
    probe.event(decided("apr_1", "approved", staff))
    expect(probe.encoder.waitsForStaff).toBe(false)
  })

  it("requests of MCP servers show no card, for any audience", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), started("cal_1"))
    const before = probe.summary.length
    probe.event({ ...asks("apr_1", "cal_1"), server: { name: "shop", wants: "model" } })
    expect(probe.summary.slice(before)).toEqual([])
    expect([probe.encoder.approval, probe.encoder.waitsForStaff]).toEqual([undefined, true])
  })

  it("an interaction is shown before its call", () => {
    const interactionId = "0f0e0d0c-0b0a-4908-8706-050403020100"
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "request_choices"))
    const spec = { questions: [] }
    probe.event({
      type: "interaction.requested",
      interactionId,
      callId: "cal_1",
      kind: "choices",
      spec,
      reason: "why",
    })
    expect(probe.summary).toEqual(["interaction_required", "toolCall request_choices"])
    expect(probe.encoder.interaction).toMatchObject({ interactionId, kind: "choices", spec })
    probe.event({ type: "interaction.answered", interactionId, outcome: "declined" }, result("cal_1"))
    expect(probe.encoder.interaction).toBeUndefined()
    expect(probe.summary.slice(2)).toEqual(["toolResult request_choices"])
  })
})

describe("a socket that joins later", () => {
  const replayed = (probe: EncoderProbe) => (probe.encoder.turn?.sent ?? []).map(summaryOf)

  it("gets the same frames from the beginning, with adjacent tokens joined", () => {
    const probe = new EncoderProbe().event(...turnStarted).text("a", "b", "c")
    probe.event(ended("abc"), called("cal_1", "look"), started("cal_1"))
    expect(replayed(probe)).toEqual(["stream_token abc", "toolCall look"])
    for (const event of probe.encoder.turn?.sent ?? []) expect(checkServerEvent(event)).toBe(true)
  })

  it("gets pending cards, and no answered ones", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), asks("apr_1", "cal_1"))
    expect(replayed(probe)).toEqual(["write_confirmation_required", "toolCall pay"])
    probe.event(decided("apr_1", "approved"), started("cal_1"))
    expect(replayed(probe)).toEqual(["toolCall pay"])
  })
})

describe("turns and prompts", () => {
  it("each turn has its own id and its own end", () => {
    const probe = new EncoderProbe().event(...turnStarted, ended("one"), turnEnded)
    probe.event(
      { type: "turn.started", turnId: "trn_2", reference: "r2" },
      { type: "step.started", stepId: "stp_2", turnId: "trn_2", model: "m" },
      { type: "text.ended", stepId: "stp_2", block: 0, text: "two" },
      { type: "turn.ended", turnId: "trn_2", reason: "done" },
    )
    expect(probe.frames.map((event) => ("requestId" in event ? event.requestId : ""))).toEqual(["r1", "r1", "r2", "r2"])
  })

  it("a prompt that is withdrawn before its turn sends cancelled under its own id", () => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.event(
      { type: "prompt.admitted", promptId: "prm_2", text: "x", delivery: "next-turn", by, reference: "r2" },
      { type: "prompt.withdrawn", promptId: "prm_2", reason: "" },
    )
    expect(probe.frames).toMatchObject([{ type: "cancelled", requestId: "r2" }])
    expect(probe.encoder.turn?.isOver).toBe(false)
  })

  it("an incomplete answer ends with an error if it is empty, and otherwise with a part that gives the reason", () => {
    const refused = { type: "turn.ended", turnId: "trn_1", reason: "done", finish: "refusal" } as const
    const silent = new EncoderProbe().event(...turnStarted, refused)
    expect(JSON.stringify(silent.frames)).toContain(finishSentence("refusal"))
    const text = { type: "text.ended", stepId: "stp_1", block: 0, text: "Half" } as const
    const cut = new EncoderProbe().event(...turnStarted, text, { ...refused, finish: "length" })
    expect(JSON.stringify(cut.frames)).toContain(JSON.stringify(["Half", finishSentence("length")]))
  })

  it("a parked turn sends one error", () => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "5 USD are spent" })
    probe.event({ type: "turn.resumed", turnId: "trn_1" }, ended("late"), turnEnded)
    expect(probe.summary).toEqual(["error AGENT_ERROR"])
  })
})

describe("any sequence of events in a turn", () => {
  const happening = fc.constantFrom<(probe: EncoderProbe) => void>(
    (probe) => probe.text("w"),
    (probe) => probe.event(ended("www")),
    (probe) => probe.delta({ type: "preamble", turnId: "trn_1", text: "p" }),
    (probe) => probe.event(called("cal_1", "look"), started("cal_1"), result("cal_1")),
    (probe) => probe.event(called("cal_2", "pay"), asks("apr_1", "cal_2")),
    (probe) => probe.event(decided("apr_1", "denied")),
    (probe) => probe.event({ type: "turn.parked", turnId: "trn_1", why: "budget", message: "m" }),
    (probe) => probe.event({ type: "turn.resumed", turnId: "trn_1" }),
  )
  const reasons = ["done", "interrupted", "failed", "step-limit"] as const

  it("has exactly one last frame", () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), fc.constantFrom(...reasons), (things, reason) => {
        const probe = new EncoderProbe().event(...turnStarted)
        for (const thing of things) thing(probe)
        probe.event({ type: "turn.ended", turnId: "trn_1", reason })
        probe.text("late").event(result("cal_1"))
        const ends = probe.frames.filter(({ type }) => ["eventual_response", "error", "cancelled"].includes(type))
        expect(ends).toHaveLength(1)
        expect(probe.frames.at(-1)).toBe(ends[0])
        expect(probe.ends.filter(Boolean)).toHaveLength(1)
      }),
    )
  })
})
