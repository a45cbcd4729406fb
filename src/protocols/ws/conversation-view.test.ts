import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/house-port.ts"
import { ConversationView } from "./conversation-view.ts"
import type { ServerEvent } from "./frames.ts"
import { checkServerEvent } from "./generated/events.js"

const sessionId = "01890000-0000-7000-8000-000000000001"
const by = { principal: "visitor", door: "ws" }
const staff = { principal: "boss", door: "house" }

/** Tells a view things and keeps what it says; every frame is one that real clients take. */
class Telling {
  readonly view = new ConversationView(sessionId)
  readonly frames: ServerEvent[] = []
  readonly ends: boolean[] = []
  #seq = 0
  now = 1000

  event(...events: readonly SessionEvent[]): this {
    for (const event of events) this.#tell({ kind: "event", recorded: { seq: (this.#seq += 1), at: 0, event } })
    return this
  }

  delta(delta: SessionDelta): this {
    this.#tell({ kind: "delta", delta })
    return this
  }

  item(item: WatchItem): this {
    this.#tell(item)
    return this
  }

  words(...pieces: readonly string[]): this {
    for (const delta of pieces) this.delta({ type: "text.delta", stepId: "stp_1", block: 0, delta })
    return this
  }

  /** In short: types, with what matters of each. */
  get story(): readonly string[] {
    return this.frames.map(inShort)
  }

  #tell(item: WatchItem): void {
    const told = this.view.tell(item, this.now)
    for (const event of told?.events ?? [])
      if (!checkServerEvent(event)) throw new Error(`no client takes this: ${JSON.stringify(event)}`)
    this.frames.push(...(told?.events ?? []))
    if (told !== undefined) this.ends.push(told.ends)
  }
}

function inShort(event: ServerEvent): string {
  switch (event.type) {
    case "stream_token":
    case "stream_reasoning":
    case "stream_preamble":
      return `${event.type} ${event.token}`
    case "stream_chunk":
      return `${Object.keys(event.data.state.rawResponse ?? {}).join()} ${event.node}`
    case "error":
      return `error ${event.error.code}`
    default:
      return event.type
  }
}

const begun: readonly SessionEvent[] = [
  { type: "prompt.admitted", promptId: "prm_1", text: "hi", delivery: "next-turn", by, reference: "r1" },
  { type: "turn.started", turnId: "trn_1", reference: "r1" },
  { type: "prompt.promoted", promptId: "prm_1", turnId: "trn_1" },
  { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "m" },
]
const done: SessionEvent = { type: "turn.ended", turnId: "trn_1", reason: "done" }
const ended = (text: string): SessionEvent => ({ type: "text.ended", stepId: "stp_1", block: 0, text })
const called = (callId: `cal_${string}`, tool: string): SessionEvent => {
  return { type: "tool.called", stepId: "stp_1", callId, tool, input: { order: 7 } }
}
const started = (callId: `cal_${string}`): SessionEvent => {
  return { type: "tool.started", callId, class: "read", digest: "d", idempotencyKey: "k" }
}
const result = (callId: `cal_${string}`, outcome: "done" | "failed" | "cancelled" = "done"): SessionEvent => {
  return { type: "tool.ended", callId, outcome, output: "out" }
}
const asks = (approvalId: `apr_${string}`, callId: `cal_${string}`): EventOf<"approval.requested"> => {
  return {
    type: "approval.requested",
    approvalId,
    callId,
    tool: "pay",
    digest: "d",
    reason: "Sure?",
    audience: "driver",
  }
}
const decided = (
  approvalId: `apr_${string}`,
  outcome: "approved" | "denied" | "void",
  who = by,
): EventOf<"approval.decided"> => ({ type: "approval.decided", approvalId, outcome, by: who })

describe("a turn of words", () => {
  it("is told word by word and ends once, with all of them", () => {
    const telling = new Telling().event(...begun).words("Hel", "lo")
    telling.event(ended("Hello"), done)
    expect(telling.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
    expect(telling.ends).toEqual([false, false, true])
    const end = telling.frames.at(-1)
    expect(end).toMatchObject({ requestId: "r1", data: { data: { response: { responseParts: ["Hello"] } } } })
  })

  it("heals what a lost delta left out, and says nothing twice", () => {
    const telling = new Telling().event(...begun).words("Hel")
    telling.event(ended("Hello"), done)
    expect(telling.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("is told from the text so far where somebody comes in, and goes on from there", () => {
    const telling = new Telling().event(...begun)
    telling.item({ kind: "streamed", stepId: "stp_1", blocks: [{ block: 0, kind: "text", text: "Hel" }] })
    telling.words("lo").event(ended("Hello"), done)
    expect(telling.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("keeps thoughts apart from the answer", () => {
    const telling = new Telling().event(...begun)
    telling.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "hm" })
    telling.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" })
    telling.event({ type: "text.ended", stepId: "stp_1", block: 1, text: "yes" }, done)
    expect(telling.story).toEqual(["stream_reasoning hm", "stream_token yes", "eventual_response"])
    expect(telling.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["yes"] } } } })
  })

  it("has thoughts for its reply when there was nothing else", () => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" }, done)
    expect(telling.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["hm"] } } } })
  })

  it("may begin with a sentence of a quick model, but only before the first word", () => {
    const early = new Telling().event(...begun).delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(early.story).toEqual(["stream_preamble One moment."])
    const late = new Telling().event(...begun).words("Hi")
    late.delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(late.story).toEqual(["stream_token Hi"])
  })

  it("joins an answer that a crash has cut in two", () => {
    const telling = new Telling().event(...begun).words("one t")
    telling.event({ type: "text.ended", stepId: "stp_1", block: 0, text: "one t", interrupted: true })
    telling.event({ type: "step.started", stepId: "stp_2", turnId: "trn_1", model: "m", continues: "stp_1" })
    telling.event({ type: "text.ended", stepId: "stp_2", block: 0, text: "wo" }, done)
    expect(telling.story).toEqual(["stream_token one t", "stream_token wo", "eventual_response"])
    expect(telling.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["one two"] } } } })
  })

  it("sums what its model calls used, and says nothing of it when nothing is known", () => {
    const usage = { input: 10, output: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
    const spent = (costUsd: number): SessionEvent => {
      return { type: "response.ended", stepId: "stp_1", model: "m", finish: "stop", usage, costUsd }
    }
    const known = new Telling().event(...begun, spent(0.5), spent(0.25), done)
    expect(known.frames.at(-1)).toMatchObject({
      data: { data: { usage: { costUsd: 0.75, promptTokens: 20, completionTokens: 6 } } },
    })
    const unknown = new Telling().event(...begun, done)
    expect(unknown.frames.at(-1)).not.toHaveProperty("data.data.usage")
  })

  it.each([
    ["interrupted", "cancelled"],
    ["failed", "error AGENT_ERROR"],
    ["step-limit", "eventual_response"],
  ] as const)("that ends as %s is told as %s", (reason, story) => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "turn.ended", turnId: "trn_1", reason, error: "key sk-123 was refused by 10.0.0.1" })
    expect(telling.story).toEqual([story])
    expect(JSON.stringify(telling.frames)).not.toContain("sk-123")
  })

  it("gives on what a tool wants of the client, and why a person is wanted", () => {
    const telling = new Telling().event(...begun, called("cal_1", "x"), started("cal_1"))
    const details = { directive: { type: "send_file" }, escalation: "angry" }
    telling.event({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "out", details }, done)
    expect(telling.frames.at(-1)).toMatchObject({
      data: {
        data: {
          needsEscalation: true,
          escalationReason: "angry",
          directive: { type: "send_file" },
          response: { resolutionStatus: "requires_escalation" },
        },
      },
    })
  })
})

describe("calls", () => {
  it("are told when they start, and their result when they end", () => {
    const telling = new Telling().event(...begun, called("cal_1", "look"), started("cal_1"), result("cal_1"))
    expect(telling.story).toEqual(["toolCall look", "toolResult look"])
  })

  it("that are refused are told as a call and its failure", () => {
    const telling = new Telling().event(...begun, called("cal_1", "look"))
    telling.event({ type: "tool.refused", callId: "cal_1", by: "deny", reason: "No." })
    expect(telling.story).toEqual(["toolCall look", "toolResult look"])
    expect(telling.frames.at(-1)).toMatchObject({
      data: { state: { rawResponse: { toolResult: { isError: true, result: "No." } } } },
    })
  })

  it("that are cut off are not told any more", () => {
    const telling = new Telling().event(...begun, called("cal_1", "look"), started("cal_1"))
    telling.event(result("cal_1", "cancelled"), { type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(telling.story).toEqual(["toolCall look", "cancelled"])
  })

  it("whose input is no object are given as they came", () => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "x", input: "{bad" }, started("cal_1"))
    expect(telling.frames).toMatchObject([
      { data: { state: { rawResponse: { toolCall: { arguments: { _raw: '"{bad"' } } } } } },
    ])
  })
})

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
    expect([telling.view.approval, telling.view.approvalShownSince]).toEqual(["apr_2", 5000])
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
