import { expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { noStatus } from "../../projection/status.ts"
import { TurnSummary } from "./turn-summary.ts"

const sessionId = "01a1e0d0-5624-79c0-9d02-62631e5fef1d"
const started = { type: "turn.started", turnId: "trn_1" } as const
const tool = { type: "tool.started", callId: "cal_1", class: "read", digest: "d", idempotencyKey: "k" } as const
const ended = (reason: "done" | "failed" | "interrupted" | "step-limit") =>
  ({ type: "turn.ended", turnId: "trn_1", reason }) as const
const parked = { type: "turn.parked", turnId: "trn_1", why: "budget", message: "m" } as const

function lineAfter(events: readonly (readonly [number, SessionEvent])[], usd = 0, share?: number, unpricedCalls = 0) {
  const summary = new TurnSummary()
  events.forEach(([at, event], seq) => summary.take({ seq, at, event }))
  const { usage } = noStatus
  return summary.line(sessionId, { usage: { ...usage, turn: { ...usage.turn, usd, unpricedCalls } } }, share)
}

it.each([
  [
    lineAfter(
      [
        [0, started],
        [9, tool],
        [42_000, ended("done")],
      ],
      0.08,
      0.31,
    ),
    "done in 42 s · 1 tool · $0.08 · context 31 % · session 01a1e0d0-5624",
  ],
  [
    lineAfter(
      [
        [0, started],
        [125_000, ended("failed")],
      ],
      0.004,
    ),
    "failed after 2 min 5 s · <$0.01 · session 01a1e0d0-5624",
  ],
  [
    lineAfter([
      [0, started],
      [900, ended("interrupted")],
    ]),
    "interrupted after 0.9 s · session 01a1e0d0-5624",
  ],
  [
    lineAfter([[0, ended("step-limit")]], 0, undefined, 2),
    "stopped at the step limit · price unknown · session 01a1e0d0-5624",
  ],
  [
    lineAfter([
      [0, started],
      [1000, parked],
    ]),
    "parked (budget) after 1.0 s · session 01a1e0d0-5624",
  ],
  [
    lineAfter([
      [0, started],
      [9, tool],
    ]),
    undefined,
  ],
] as const)("the last line %#: %s", (line, expected) => {
  expect(line).toBe(expected)
})
