import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { contextItems, emptyContext, foldContext } from "../../projection/context.ts"
import type { ContextItem } from "../../contract/views/context.ts"

const created: SessionEvent = {
  type: "session.created",
  sessionId: "01890000-0000-7000-8000-000000000001",
  origin: "ws",
  org: "public",
  owner: "",
  preset: "service",
  cwd: "/",
  model: "m",
  toolMode: "Smart",
  limits: { stepsPerTurn: 20, depth: 0, children: 0 },
  budget: {},
}

function itemsAfter(...events: readonly SessionEvent[]): readonly ContextItem[] {
  const recorded = events.map((event, index) => ({ seq: index + 1, at: 0, event }))
  return contextItems(recorded.reduce(foldContext, emptyContext()))
}

const file = { name: "a.png", mediaType: "image/png", data: "AAAA" }

function begun(n: number, text: string): readonly SessionEvent[] {
  return [
    {
      type: "prompt.admitted",
      promptId: `prm_${n}`,
      text,
      attachments: [file],
      delivery: "next-turn",
      by: { principal: "you", door: "ws" },
    },
    { type: "turn.started", turnId: `trn_${n}` },
    { type: "prompt.promoted", promptId: `prm_${n}`, turnId: `trn_${n}` },
    { type: "step.started", stepId: `stp_${n}a`, turnId: `trn_${n}`, model: "m" },
    { type: "text.ended", stepId: `stp_${n}a`, block: 0, text: "Let me look." },
    { type: "tool.called", stepId: `stp_${n}a`, callId: `cal_${n}`, tool: "look", input: {} },
    { type: "tool.ended", callId: `cal_${n}`, outcome: "done", output: "seen" },
    { type: "step.ended", stepId: `stp_${n}a` },
  ]
}

function turn(n: number, text: string, answer: string): readonly SessionEvent[] {
  return [
    ...begun(n, text),
    { type: "step.started", stepId: `stp_${n}b`, turnId: `trn_${n}`, model: "m" },
    ...(answer === "" ? [] : [{ type: "text.ended", stepId: `stp_${n}b`, block: 0, text: answer } as const]),
    { type: "turn.ended", turnId: `trn_${n}`, reason: "done" },
  ]
}

function said(items: readonly ContextItem[]): readonly string[] {
  return items.map((item) =>
    item.kind === "assistant"
      ? `< ${item.parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join(" | ")}`
      : `> ${item.text}`,
  )
}

describe("the context of a service session", () => {
  it("has the text of earlier turns, the last text of each answer, and no files", () => {
    const items = itemsAfter(created, ...turn(1, "hi", "Hello."), ...turn(2, "more", ""))
    expect(said(items)).toEqual(["> hi", "< Hello.", "> more", "< Let me look."])
    expect(JSON.stringify(items)).not.toContain("AAAA")
  })

  it("has a placeholder for a message that had only files", () => {
    expect(said(itemsAfter(created, ...turn(1, " ", "Nice.")))).toEqual(["> (sent without words: a.png)", "< Nice."])
  })

  it("has the running turn complete, with its tools and files", () => {
    const items = itemsAfter(created, ...turn(1, "hi", "Hello."), ...begun(2, "more"))
    expect(said(items)).toEqual(["> hi", "< Hello.", "> more", "< Let me look. | call"])
    expect(items[2]).toMatchObject({ attachments: [file] })
    expect(items[3]).toMatchObject({ results: { cal_2: { output: "seen" } } })
  })

  it("has a bounded number of messages of earlier turns", () => {
    const turns = Array.from({ length: 40 }, (_, n) => turn(n, `q${n}`, `a${n}`))
    const items = itemsAfter(created, ...turns.flat(), ...begun(99, "now"))
    expect(items).toHaveLength(limits.serviceMessages + 2)
    expect(said(items).slice(0, 2)).toEqual(["> q15", "< a15"])
    expect(said(items).slice(-3)).toEqual(["< a39", "> now", "< Let me look. | call"])
  })

  it("never begins with an answer", () => {
    const silent = turn(0, "nobody answers", "").filter(({ type }) => type !== "text.ended")
    const turns = Array.from({ length: 25 }, (_, n) => turn(n + 1, `q${n}`, `a${n}`))
    const items = itemsAfter(created, ...turns.slice(0, 5).flat(), ...silent, ...turns.slice(5).flat())
    expect(said(items)[0]).toBe("> q1")
  })

  it("has everything in other sessions", () => {
    const items = itemsAfter({ ...created, preset: "careful" }, ...turn(1, "hi", "Hello."))
    expect(said(items)).toEqual(["> hi", "< Let me look. | call", "< Hello."])
  })
})
