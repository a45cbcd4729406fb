import { describe, expect, it } from "vitest"
import type { EventOf } from "../../contract/events.ts"
import { begun, called, done, result, started, EncoderProbe } from "./fixtures/encoder-probe.ts"

const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
const verificationId = "ver_1"
const contact = { email: "a@b.example" }

function requested(change: Partial<EventOf<"verification.requested">> = {}): EventOf<"verification.requested"> {
  const about = { verificationId, visitId, callId: "cal_1", tool: "pay" } as const
  return { type: "verification.requested", ...about, channels: ["email"], ...change }
}
const sent = { type: "verification.sent", verificationId, channel: "email", destination: "a…@b.example" } as const
const verified = { type: "visit.verified", visitId, verificationId, contact } as const
const failed = (why: EventOf<"verification.failed">["why"], id: `ver_${string}` = verificationId) =>
  ({ type: "verification.failed", verificationId: id, why, attemptsLeft: 0 }) as const
const cards = ["otp_verification_required", "otp_sent"]

function asked(): EncoderProbe {
  return new EncoderProbe().event(...begun, called("cal_1", "pay"), requested({ parked: true }), sent)
}

function toldAgain({ encoder }: EncoderProbe): readonly string[] {
  return (encoder.turn?.sent ?? []).map(({ type }) => type)
}

describe("a code that a call waits for", () => {
  it("is asked for before the call is seen", () => {
    expect(asked().story).toEqual([...cards, "toolCall pay"])
    expect(toldAgain(asked())).toEqual([...cards, "stream_chunk"])
  })

  it("is asked for again of whoever comes in later, as long as it is expected", () => {
    expect(toldAgain(asked().event(failed("wrong-code")))).toEqual([...cards, "stream_chunk"])
    expect(toldAgain(asked().event(failed("void", "ver_of_another")))).toEqual([...cards, "stream_chunk"])
    for (const end of [verified, failed("too-many-attempts"), failed("expired")])
      expect(toldAgain(asked().event(end))).toEqual(["stream_chunk"])
  })

  it("is told to be sent only when it was, and the call is seen with its result", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), requested({ parked: true }))
    probe.event(failed("undelivered"), { type: "tool.refused", callId: "cal_1", by: "v", reason: "no" })
    expect(probe.story).toEqual([cards[0], "toolCall pay", "toolResult pay"])
  })
})

describe("a code at the end of a turn", () => {
  it("stands before its end", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), started("cal_1"), result("cal_1"))
    probe.event(requested(), sent, done)
    expect(probe.story.slice(-3)).toEqual([...cards, "eventual_response"])
  })

  it("is not spoken of where it cannot be sent anywhere", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "pay"), requested({ channels: [] }), done)
    expect(probe.story).toEqual(["eventual_response"])
  })

  it("is not spoken of once its turn is over", () => {
    const probe = new EncoderProbe().event(...begun, requested(), sent, done)
    const before = probe.story.length
    probe.event(failed("wrong-code"), verified)
    expect(probe.story).toHaveLength(before)
  })
})
