import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import type { SessionStatus } from "../../contract/views/status.ts"
import { foldMessageCount, unknownCount } from "../../projection/message-count.ts"
import { noStatus } from "../../projection/status.ts"
import { emptyTranscript, foldTranscript } from "../../projection/transcript.ts"
import { normalizedTitle, messageId, pageOf, rowChunk, rowsOf, titleOf } from "./message-rows.ts"
import { checks } from "./generated/answers.js"

const sessionId = "01890000-0000-7000-8000-000000000001"
const by = { principal: "visitor", door: "ws" }

function turn(name: string, ...inside: readonly SessionEvent[]): SessionEvent[] {
  const [promptId, turnId] = [`prm_${name}`, `trn_${name}`] as const
  return [
    { type: "prompt.admitted", promptId, text: `message ${name}`, delivery: "next-turn", by },
    { type: "turn.started", turnId },
    { type: "prompt.promoted", promptId, turnId },
    ...inside,
  ]
}

function said(name: string, text: string, interrupted?: boolean): SessionEvent[] {
  const stepId = `stp_${name}` as const
  return [
    { type: "step.started", stepId, turnId: "trn_a", model: "m" },
    { type: "text.ended", stepId, block: 0, text, interrupted },
    { type: "response.ended", stepId, model: "m", finish: "stop" },
  ]
}

const done: SessionEvent = { type: "turn.ended", turnId: "trn_a", reason: "done" }

function transcript(events: readonly SessionEvent[]) {
  const folded = emptyTranscript()
  events.forEach((event, index) => foldTranscript(folded, { seq: index + 1, at: 1_700_000_000_000, event }))
  return folded
}

function rows(events: readonly SessionEvent[], inTurn = false) {
  return rowsOf(sessionId, transcript(events).items, inTurn)
}

const texts = (events: readonly SessionEvent[], inTurn = false) =>
  rows(events, inTurn).map(({ direction, content }) => `${direction} ${content.text}`)

describe("rowsOf", () => {
  it("returns the visitor's message and the reply of each turn, newest first", () => {
    expect(texts([...turn("a", ...said("1", "one"), done), ...turn("b", ...said("2", "two"), done)])).toEqual([
      "outbound two",
      "inbound message b",
      "outbound one",
      "inbound message a",
    ])
  })

  it("returns only the last text of a turn", () => {
    expect(texts(turn("a", ...said("1", "let me look"), ...said("2", "here it is"), done))).toEqual([
      "outbound here it is",
      "inbound message a",
    ])
  })

  it("returns no reply while the turn runs", () => {
    expect(texts([...turn("a", ...said("1", "one"), done), ...turn("b", ...said("2", "let me look"))], true)).toEqual([
      "inbound message b",
      "outbound one",
      "inbound message a",
    ])
  })

  it("returns only the visitor's message of an interrupted or failed turn", () => {
    const cut: SessionEvent = { type: "turn.ended", turnId: "trn_a", reason: "interrupted" }
    const failed: SessionEvent = { type: "turn.ended", turnId: "trn_a", reason: "failed", error: "no" }
    expect(texts(turn("a", ...said("1", "half", true), cut))).toEqual(["inbound message a"])
    expect(texts(turn("a", ...said("1", "half"), failed))).toEqual(["inbound message a"])
  })

  it("returns the last text of a turn that reached its step limit", () => {
    const limit: SessionEvent = { type: "turn.ended", turnId: "trn_a", reason: "step-limit" }
    expect(texts(turn("a", ...said("1", "so far"), limit))).toEqual(["outbound so far", "inbound message a"])
  })

  it("leaves out a message that waits for its turn", () => {
    const waits: SessionEvent = { type: "prompt.admitted", promptId: "prm_w", text: "w", delivery: "next-turn", by }
    expect(texts([...turn("a", ...said("1", "one"), done), waits])).toEqual(["outbound one", "inbound message a"])
  })

  it("joins a reply that a crash split", () => {
    const events = turn(
      "a",
      ...said("1", "one t", true),
      { type: "step.started", stepId: "stp_2", turnId: "trn_a", model: "m", continues: "stp_1" },
      { type: "text.ended", stepId: "stp_2", block: 0, text: "wo" },
      done,
    )
    expect(texts(events)).toEqual(["outbound one two", "inbound message a"])
  })

  it("matches the wire schema", () => {
    const page = pageOf(rows(turn("a", ...said("1", "one"), done)), 1, undefined)
    expect(checks.messages(page)).toBe(true)
    expect(page).toMatchObject({ hasMore: true, messages: [{ createdAt: "2023-11-14T22:13:20.001Z" }] })
  })

  it("are read from a snapshot or an older page", () => {
    const { items } = transcript(turn("a", ...said("1", "one")))
    const page = { seq: 9, items, start: 7, earlier: true }
    const directions = (change: { readonly status?: SessionStatus }) =>
      rowChunk(sessionId, { ...page, ...change }).rows.map(({ direction }) => direction)
    expect(rowChunk(sessionId, page)).toMatchObject({ start: 7, earlier: true })
    expect(directions({})).toEqual(["outbound", "inbound"])
    expect(directions({ status: { ...noStatus, inTurn: true } })).toEqual(["inbound"])
  })
})

describe("message count", () => {
  const counted = (events: readonly SessionEvent[]) =>
    events.reduce(foldMessageCount, { ...unknownCount, count: 0 }).count
  const ends = ["done", "interrupted", "failed", "step-limit", undefined] as const

  const step = fc.record({ text: fc.constantFrom("", "words"), isCut: fc.boolean(), isContinued: fc.boolean() })
  const anyTurn = fc.record({
    steps: fc.array(step, { maxLength: 3 }),
    end: fc.constantFrom(...ends),
    steering: fc.boolean(),
  })

  function eventsOf(turns: readonly (typeof anyTurn extends fc.Arbitrary<infer Turn> ? Turn : never)[]) {
    return turns.flatMap(({ steps, end, steering }, index): SessionEvent[] => {
      const inside = steps.flatMap(({ text, isCut, isContinued }, at): SessionEvent[] => {
        const id = `${index}x${at}`
        const stepId = `stp_${id}` as const
        const answer = said(id, text, isCut && text !== "")
        if (!isCut || !isContinued || text === "") return answer
        const next = `stp_${id}c` as const
        return [
          ...answer,
          { type: "step.started", stepId: next, turnId: "trn_a", model: "m", continues: stepId },
          { type: "text.ended", stepId: next, block: 0, text: index % 2 === 0 ? "" : "more" },
        ]
      })
      const steered: SessionEvent[] = steering
        ? [
            { type: "prompt.admitted", promptId: `prm_s${index}`, text: "too", delivery: "next-boundary", by },
            { type: "prompt.promoted", promptId: `prm_s${index}`, turnId: "trn_a" },
            ...said(`s${index}`, "steered"),
          ]
        : []
      const ended: SessionEvent = { type: "turn.ended", turnId: "trn_a", reason: end ?? "done" }
      const isLast = index === turns.length - 1
      return [...turn(`t${index}`, ...inside, ...steered), ...(isLast && end === undefined ? [] : [ended])]
    })
  }

  it("equals the number of rows for any sequence of turns", () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 6 }), (turns) => {
        const events = eventsOf(turns)
        const inTurn = turns.length > 0 && turns.at(-1)?.end === undefined
        expect(counted(events)).toBe(rows(events, inTurn).length)
      }),
    )
  })

  it("is 0 after a clear, and unknown after a rewind", () => {
    const events = turn("a", ...said("1", "one"), done)
    expect(counted([...events, { type: "context.cleared", by }])).toBe(0)
    expect(counted([...events, { type: "context.rewound", toSeq: 1, by }])).toBeUndefined()
  })
})

describe("pageOf", () => {
  const all = rows(["a", "b", "c"].flatMap((name) => turn(name, ...said(name, name), done)))

  it("pages through all rows by the id of the oldest row", () => {
    const seen: string[] = []
    let cursor: string | undefined
    for (;;) {
      const page = pageOf(all, 4, cursor)
      seen.push(...(page?.messages.map(({ id }) => id) ?? []))
      expect(page?.hasMore).toBe(page?.nextCursor !== null)
      if (page?.nextCursor === null || page === undefined) break
      cursor = page.nextCursor
    }
    expect(seen).toEqual(all.map(({ id }) => id))
  })

  it("returns undefined for an unknown cursor", () => {
    expect(pageOf(all, 4, "01890000-0000-5000-8000-000000000000")).toBeUndefined()
  })
})

describe("messageId", () => {
  it("is a version 5 UUID that depends on session and place", () => {
    const other = "01890000-0000-7000-8000-000000000002"
    const ids = [messageId(sessionId, 1), messageId(sessionId, 2), messageId(other, 1)]
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(3)
    expect(messageId(sessionId, 1)).toBe(ids[0])
  })
})

describe("titles", () => {
  it("titleOf removes marks and cuts to sixty characters", () => {
    expect(titleOf("## > hello\n  there")).toBe("hello there")
    expect(titleOf("😀".repeat(61))).toBe(`${"😀".repeat(60)}…`)
    expect(titleOf("x".repeat(60))).toBe("x".repeat(60))
  })

  it("normalizedTitle removes quotes, marks and control characters", () => {
    expect(normalizedTitle(' "My  *old* `order`" ')).toBe("My old order")
    expect(normalizedTitle("a\u0000b\u001b[31m \ud800\tc")).toBe("ab[31m \ufffd c")
    expect(normalizedTitle(' "" ')).toBe("")
    expect(normalizedTitle("y".repeat(70))).toBe("y".repeat(60))
  })
})

it("dates a reply at its end and a prompt at its delivery, so that rows sorted by time are in reading order", () => {
  const events = [...turn("a"), ...said("a", "First."), done, ...turn("b"), ...said("b", "Second."), done]
  const second = events.findIndex((event) => event.type === "prompt.admitted" && event.promptId === "prm_b")
  const [waiting] = events.splice(second, 1)
  if (waiting !== undefined) events.splice(4, 0, waiting) // it arrives during the first turn
  const folded = emptyTranscript()
  events.forEach((event, index) => foldTranscript(folded, { seq: index + 1, at: 1000 * (index + 1), event }))
  const found = rowsOf(sessionId, folded.items, false)
  const sorted = found.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt))
  expect(sorted.map(({ content }) => content.text)).toEqual(["message a", "First.", "message b", "Second."])
  const ends = events.flatMap((event, index) => (event.type === "turn.ended" ? [1000 * (index + 1)] : []))
  const replies = found
    .filter(({ direction }) => direction === "outbound")
    .map(({ createdAt }) => Date.parse(createdAt))
  expect(replies.toReversed()).toEqual(ends)
})

it("dates rows of the same millisecond in reading order", () => {
  const times = rows([...turn("a"), ...said("a", "One."), done, ...turn("b"), ...said("b", "Two."), done])
    .map(({ createdAt }) => Date.parse(createdAt))
    .toReversed()
  expect(times).toEqual([0, 1, 2, 3].map((n) => 1_700_000_000_000 + n))
})
