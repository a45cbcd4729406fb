import { expect, it } from "vitest"
import { cpuMsOf } from "../testing/cpu-time.ts"
import { idOf, lineOf, severalSessions } from "../tui/fixtures/session-lines.ts"
import { matchingRows, restingRows, sessionRows } from "./session-rows.ts"

const numbers = (rows: ReturnType<typeof sessionRows>) =>
  rows.map(({ line, depth }) => `${depth}:${Number(line.sessionId.slice(-3))}`)

it("orders what waits for approval, what is live and what is recent, with agents below their session", () => {
  expect(numbers(restingRows(sessionRows(severalSessions())))).toEqual(["0:3", "0:2", "1:4", "0:1"])
})

it("moves a session up while one of its agents waits for approval", () => {
  const lines = severalSessions().map((line) =>
    line.sessionId === idOf(4) ? lineOf(4, { ...line.status, openApprovals: 1 }, 1000) : line,
  )
  const rows = restingRows(sessionRows(lines.filter(({ sessionId }) => sessionId !== idOf(3))))
  expect(numbers(rows)).toEqual(["0:2", "1:4", "0:1"])
})

it("lists an agent whose parent was deleted by itself", () => {
  expect(numbers(sessionRows([lineOf(4, { parentId: idOf(9) })]))).toEqual(["0:4"])
})

it("finds titles, folders, ended agents and texts", () => {
  const rows = sessionRows(severalSessions())
  expect(numbers(matchingRows(rows, "infra", new Map()))).toEqual(["0:1"])
  expect(numbers(matchingRows(rows, "cntests", new Map()))).toEqual(["0:5"])
  expect(matchingRows(rows, "kubernetes", new Map([[idOf(1), "on kubernetes"]]))).toMatchObject([
    { line: { sessionId: idOf(1) }, snippet: "on kubernetes" },
  ])
})

it("orders and filters 10,000 sessions within a frame or two", async () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => lineOf(at, { title: `Prompt number ${at} of many` }, at))
  const used = await cpuMsOf(() => {
    expect(matchingRows(sessionRows(lines), "number 77", new Map()).length).toBeGreaterThan(100)
  })
  expect(used).toBeLessThan(2000) // about 60
})
