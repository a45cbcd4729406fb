import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { openMemoryLog } from "../../log/sqlite/sqlite-log.ts"
import type { EventLog, Lease } from "../../log/event-log.ts"
import { foldStatus, noStatus } from "../../projection/status.ts"
import { forgetInUsage } from "../usage/usage-index.ts"
import { HomeQueries } from "./home-queries.ts"
import { HomeThread } from "./thread-client.ts"

const now = Date.UTC(2026, 10, 18, 12)
const usage = { input: 100, output: 10, cacheRead: 5, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
const by = { principal: "you", door: "test" }

let home: string
let log: EventLog
let lease: Lease
let queries: HomeQueries

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "home-queries-"))
  log = openMemoryLog()
  const host = { hostId: "h1", role: "test", pid: 1, startTime: "1", bootId: "b" }
  const registered = await log.registerHost(host)
  if (registered.kind === "refused") throw new Error(registered.refusal.code)
  lease = registered.value
  queries = new HomeQueries(home, log)
})

afterEach(async () => {
  queries[Symbol.dispose]()
  await log.close()
  rmSync(home, { recursive: true })
})

const idOf = (number: number) => `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`

function turnOf(number: number, text: string): readonly SessionEvent[] {
  const [turnId, stepId, promptId] = [`trn_${number}`, `stp_${number}`, `prm_${number}`] as const
  return [
    { type: "prompt.admitted", promptId, text, delivery: "next-turn", by },
    { type: "prompt.promoted", promptId, turnId },
    { type: "turn.started", turnId },
    { type: "step.started", turnId, stepId, model: "a/b" },
    { type: "text.ended", stepId, block: 0, text: `About ${text}` },
    { type: "response.ended", stepId, model: "a/b", finish: "stop", usage, costUsd: 0.25 },
  ]
}

async function create(number: number, text: string, org = "local"): Promise<void> {
  const first: SessionEvent = {
    type: "session.created",
    sessionId: idOf(number),
    origin: "test",
    org,
    owner: "you",
    preset: "trusting",
    cwd: "/",
    model: "a/b",
    toolMode: "Smart",
    limits: { stepsPerTurn: 1, depth: 1, children: 1 },
    budget: {},
  }
  const events = [first, ...turnOf(number, text)]
  const summary = events.reduce((status, event, at) => foldStatus(status, { seq: at + 1, at: now, event }), noStatus)
  const written = { sessionId: idOf(number), expectedSeq: 0, at: now, events, summary: { ...summary } }
  const created = await log.create(lease, written)
  if (created.kind === "refused") throw new Error(JSON.stringify(created.refusal))
}

async function append(number: number, events: readonly SessionEvent[], at = now): Promise<void> {
  const row = await log.find(idOf(number))
  if (row.kind === "refused") throw new Error(row.refusal.code)
  const { seq: expectedSeq } = row.value
  const stored = await log.append(lease, { sessionId: idOf(number), expectedSeq, at, events })
  if (stored.kind === "refused") throw new Error(JSON.stringify(stored.refusal))
}

const search = (text: string, scope = {}) => queries.searchSessions({ type: "search-sessions", text, scope })
const history = (scope = {}, at = now) =>
  queries.usageHistory({ type: "usage-history", days: 7, zone: "UTC", scope }, at)

describe("a search in the texts of all sessions", () => {
  it("returns the sessions with their best places, and only those of the organisation that is asked for", async () => {
    await create(1, "rotate the backup keys")
    await create(2, "where are my keys", "acme")
    const { sessions, behind } = await search("keys")
    expect(behind).toBe(0)
    expect(sessions.map(({ line }) => line.sessionId).toSorted()).toEqual([idOf(1), idOf(2)])
    expect(sessions[0]?.matches).toHaveLength(2)
    expect(await search("keys", { org: "acme" })).toMatchObject({
      sessions: [
        { line: { sessionId: idOf(2) }, matches: [{ kind: "prompt", seq: 2, snippet: "where are my keys" }, {}] },
      ],
    })
    expect((await search("keys", { sessionId: idOf(1) })).sessions).toHaveLength(1)
    expect((await search("nowhere")).sessions).toEqual([])
    expect((await search("  ")).sessions).toEqual([])
  })

  it("finds what was stored since the last search, and nothing of deleted sessions", async () => {
    await create(1, "rotate the backup keys")
    await search("keys")
    await append(1, turnOf(2, "the moon"))
    expect((await search("moon")).sessions).toHaveLength(1)
    await log.remove(lease, idOf(1))
    expect((await search("moon")).sessions).toEqual([])
  })
})

describe("the usage history", () => {
  it("counts each event once, whenever it is asked", async () => {
    await create(1, "one")
    expect(await history()).toMatchObject({ sessions: 1, behind: 0, all: { modelCalls: 1, usd: 0.25, input: 100 } })
    await append(1, turnOf(2, "two"), now + 3_600_000)
    await create(3, "three", "acme")
    for (const _ of [1, 2]) expect(await history()).toMatchObject({ sessions: 2, all: { modelCalls: 3, usd: 0.75 } })
    expect(await history({ org: "acme" })).toMatchObject({ sessions: 1, all: { modelCalls: 1 } })
    expect(await history({}, now + 9 * 24 * 3_600_000)).toMatchObject({ sessions: 0, all: { days: [] } })
  })

  it("measures a call whose start was counted earlier", async () => {
    await create(1, "one")
    const callId = "cal_1"
    await append(1, [
      { type: "tool.called", stepId: "stp_1", callId, tool: "bash", input: {} },
      { type: "tool.started", callId, class: "unsafe", digest: "d", idempotencyKey: "k" },
    ])
    await history()
    await append(1, [{ type: "tool.ended", callId, outcome: "failed", output: "" }], now + 2000)
    expect(await history()).toMatchObject({ tools: [{ name: "bash", calls: 1, failed: 1, ms: 2000 }] })
  })

  it("forgets a deleted session", async () => {
    await create(1, "one")
    await history()
    await log.remove(lease, idOf(1))
    forgetInUsage(home, idOf(1))
    expect(await history()).toMatchObject({ sessions: 0, all: { modelCalls: 0 } })
  })
})

it("a thread answers from the log of a home, refuses what it cannot answer, and starts again after it was ended", async () => {
  const thread = new HomeThread({ home, config: {} })
  const ask = () => thread.ask({ type: "usage-history", days: 7 })
  expect(await ask()).toMatchObject({ kind: "ok", value: { sessions: 0 } })
  expect(existsSync(join(home, "usage.db"))).toBe(true)
  const pending = thread.ask({ type: "search-sessions", text: "keys" })
  await thread.close()
  expect(await pending).toMatchObject({ kind: "refused", refusal: { code: "log.unavailable" } })
  expect(await ask()).toMatchObject({ kind: "ok" })
  await thread.close()
  const nowhere = new HomeThread({ home: join(home, "missing", "folder"), config: {} })
  expect(await nowhere.ask({ type: "search-sessions", text: "x" })).toMatchObject({
    refusal: { code: "log.unavailable" },
  })
  await nowhere.close()
})
