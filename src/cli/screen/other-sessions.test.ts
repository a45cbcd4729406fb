import { expect, it } from "vitest"
import { idOf, lineOf } from "../../tui/fixtures/session-lines.ts"
import { otherSessions } from "./other-sessions.ts"

const working = lineOf(1, { title: "Own stream readers", inTurn: true })
const waiting = lineOf(2, { title: "Fix refund rounding", inTurn: true, openApprovals: 1 })
const idle = lineOf(3, { title: "Rotate the backup keys" })

it("names what waits and what works", () => {
  expect(otherSessions([working, waiting, idle], idOf(3))).toBe(
    "1 session waiting for approval: Fix refund rounding · 1 session working: Own stream readers · ctrl-p switches",
  )
})

it("does not name the session of the window", () => {
  expect(otherSessions([waiting, idle], idOf(2))).toBeUndefined()
  expect(otherSessions([working, waiting], idOf(2))).toBe("1 session working: Own stream readers · ctrl-p switches")
})
