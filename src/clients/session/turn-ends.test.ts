import { expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { by, sessionOf } from "../../tui/fixtures/session.ts"
import { prompt, step } from "../../tui/fixtures/situations.ts"
import { withEarlier } from "./session-model.ts"
import { KEPT_ITEMS, MAX_ITEMS, trimmed } from "./turn-ends.ts"

/** A prompt, an answer and an end each: three items. */
function turns(count: number): readonly SessionEvent[] {
  return Array.from({ length: count }, (_, number) => [
    ...prompt(number, `question ${number}`),
    ...step(number, `answer ${number}`),
    { type: "turn.ended", turnId: `trn_${number}`, reason: "failed", error: "x" } as const,
  ]).flat()
}

it("keeps a transcript that is short", () => {
  const model = sessionOf(turns(20))
  expect(trimmed(model)).toBe(model)
})

it("drops whole turns of a long transcript, which can be read again from where it was cut", () => {
  const model = sessionOf(turns(MAX_ITEMS))
  const all = [...model.transcript.items]
  const short = trimmed(model)
  const { items } = short.transcript
  expect(items.length).toBeGreaterThanOrEqual(KEPT_ITEMS)
  expect(items.length).toBeLessThan(KEPT_ITEMS + 10)
  expect(items[0]).toMatchObject({ kind: "user" })
  expect(items).toEqual(all.slice(-items.length))
  expect(short).toMatchObject({ hasEarlier: true, seq: model.seq })
  const dropped = all.slice(0, -items.length)
  const whole = withEarlier(short, { start: 0, items: dropped, earlier: false })
  expect(whole.transcript.items).toEqual(all)
  expect(trimmed(whole)).toMatchObject({ start: short.start, turnEnds: short.turnEnds })
})

it("keeps a prompt that was queued in a turn that is dropped, and the turn that it began", () => {
  const queued = { type: "prompt.admitted", promptId: "prm_queued", text: "later", delivery: "next-turn", by } as const
  const first = turns(1)
  const waiting = trimmed(sessionOf([...first.slice(0, -1), queued, ...first.slice(-1), ...turns(MAX_ITEMS)]))
  expect(waiting.transcript.items.filter(({ kind }) => kind === "user")).toContainEqual(
    expect.objectContaining({ promptId: "prm_queued", state: "waiting" }),
  )
  const promoted = { type: "prompt.promoted", promptId: "prm_queued", turnId: "trn_9" } as const
  expect(sessionOf([promoted], waiting).transcript.items.at(-1)).toMatchObject({ text: "later", state: "promoted" })
})

it("does not cut where a rewind may have removed items", () => {
  const rewound = { type: "context.rewound", toSeq: 0, by } as const
  const model = sessionOf([...turns(10), rewound])
  expect(model.turnEnds).toEqual([])
})
