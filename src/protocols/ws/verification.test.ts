import { describe, expect, it } from "vitest"
import type { EventOf } from "../../contract/events.ts"
import { turnStarted, called, turnEnded, result, started, EncoderProbe } from "./fixtures/encoder-probe.ts"

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
  return new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), requested({ parked: true }), sent)
}

function replayed({ encoder }: EncoderProbe): readonly string[] {
  return (encoder.turn?.sent ?? []).map(({ type }) => type)
}

describe("a code that a call waits for", () => {
  it("is requested before the call is sent", () => {
    expect(asked().summary).toEqual([...cards, "toolCall pay"])
    expect(replayed(asked())).toEqual([...cards, "stream_chunk"])
  })

  it("is requested again from a socket that joins later, while it is expected", () => {
    expect(replayed(asked().event(failed("wrong-code")))).toEqual([...cards, "stream_chunk"])
    expect(replayed(asked().event(failed("void", "ver_of_another")))).toEqual([...cards, "stream_chunk"])
    for (const end of [verified, failed("too-many-attempts"), failed("expired")])
      expect(replayed(asked().event(end))).toEqual(["stream_chunk"])
  })

  it("a code that could not be sent has no otp_sent, and the call is sent with its result", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), requested({ parked: true }))
    probe.event(failed("undelivered"), { type: "tool.refused", callId: "cal_1", by: "v", reason: "no" })
    expect(probe.summary).toEqual([cards[0], "toolCall pay", "toolResult pay"])
  })
})

describe("a code at the end of a turn", () => {
  it("is requested before the last frame", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "pay"), started("cal_1"), result("cal_1"))
    probe.event(requested(), sent, turnEnded)
    expect(probe.summary.slice(-3)).toEqual([...cards, "eventual_response"])
  })

  it("is not requested when there is no channel", () => {
    const probe = new EncoderProbe().event(
      ...turnStarted,
      called("cal_1", "pay"),
      requested({ channels: [] }),
      turnEnded,
    )
    expect(probe.summary).toEqual(["eventual_response"])
  })

  it("sends nothing after the turn has ended", () => {
    const probe = new EncoderProbe().event(...turnStarted, requested(), sent, turnEnded)
    const before = probe.summary.length
    probe.event(failed("wrong-code"), verified)
    expect(probe.summary).toHaveLength(before)
  })
})
