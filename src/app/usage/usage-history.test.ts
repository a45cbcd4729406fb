import { expect, it } from "vitest"
import { noStatus } from "../../projection/status.ts"
import { addDuration, addDurations, type Durations, medianMs, readDurations, storedDurations } from "./durations.ts"
import { Calendar, usageHistory } from "./usage-history.ts"
import { HOUR_MS, type ModelHour, type ToolHour } from "./usage-index.ts"

const noon = Date.UTC(2026, 10, 18, 12)
const hour = Math.floor(noon / HOUR_MS)

function timesOf(...times: readonly number[]): Durations {
  const durations: Durations = new Map()
  for (const ms of times) addDuration(durations, ms)
  return durations
}

function answers(change: Partial<ModelHour>): ModelHour {
  const use = { modelCalls: 1, input: 10, output: 5, cacheRead: 1, usd: 0.5, unpricedCalls: 0, times: timesOf(1000) }
  return { sessionId: "one", hour, name: "opus", ...use, ...change }
}

function calls(change: Partial<ToolHour>): ToolHour {
  return { sessionId: "one", hour, name: "bash", calls: 1, failed: 0, ms: 100, times: timesOf(100), ...change }
}

const sessions = new Map([
  ["one", { ...noStatus, model: "opus" }],
  ["two", { ...noStatus, model: "haiku", agentId: "shop", depth: 1 }],
])
const history = (models: readonly ModelHour[], tools: readonly ToolHour[] = [], zone = "UTC") =>
  usageHistory({ models, tools, sessions, calendar: new Calendar(noon, 3, zone) })

it("adds up days, models and agents of the sessions that count", () => {
  const found = history([
    answers({}),
    answers({ hour: hour - 24, usd: 1, times: timesOf(4000, 4000) }),
    answers({ sessionId: "two", name: "", usd: 0 }),
    answers({ sessionId: "of others", usd: 100 }),
    answers({ hour: hour - 24 * 3, usd: 100 }),
  ])
  expect(found).toMatchObject({
    days: ["2026-11-16", "2026-11-17", "2026-11-18"],
    sessions: 2,
    all: {
      modelCalls: 3,
      input: 30,
      usd: 1.5,
      medianMs: 1024,
      days: [
        { day: 1, usd: 1, medianMs: 4096 },
        { day: 2, modelCalls: 2, usd: 0.5 },
      ],
    },
    models: [
      { name: "opus", usd: 1.5 },
      { name: "haiku", usd: 0, modelCalls: 1 },
    ],
    agents: [{ name: "sessions" }, { name: "subagents of shop" }],
  })
})

it("adds up the time of tools", () => {
  const found = history([], [calls({}), calls({ ms: 300, failed: 1 }), calls({ name: "read", ms: 1 })])
  expect(found.tools).toMatchObject([
    { name: "bash", calls: 2, failed: 1, ms: 400, days: [{ day: 2, calls: 2, ms: 400 }] },
    { name: "read", calls: 1 },
  ])
  expect(found.all).toMatchObject({ modelCalls: 0, days: [] })
  const ofAgent = history([], [calls({}), calls({ sessionId: "two", name: "read", ms: 300 })])
  expect(ofAgent.agentTools).toMatchObject([
    { name: "subagents of shop", ms: 300 },
    { name: "sessions", ms: 100, days: [{ day: 2, ms: 100 }] },
  ])
})

it("puts small series together", () => {
  const { models } = history(Array.from({ length: 30 }, (_, at) => answers({ name: `m${at}`, usd: at })))
  expect(models).toHaveLength(12)
  expect(models[0]).toMatchObject({ name: "m29" })
  expect(models.at(-1)).toMatchObject({ name: "others", modelCalls: 19 })
})

it("counts days in the zone that is asked for, also over a change of its clock", () => {
  const late = Date.UTC(2026, 9, 25, 23, 30) // the night after the clock of Berlin was set back
  const calendar = new Calendar(late, 2, "Europe/Berlin")
  expect(calendar).toMatchObject({ zone: "Europe/Berlin", days: ["2026-10-25", "2026-10-26"] })
  expect(calendar.dayOf(Math.floor(late / HOUR_MS))).toBe(1)
  expect(calendar.dayOf(Math.floor(late / HOUR_MS) - 1)).toBe(0)
  expect(calendar.dayOf(Math.floor(late / HOUR_MS) - 30)).toBeUndefined()
  expect(new Calendar(noon, 1, "Nowhere/At all").zone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
})

it("keeps durations so that a median is exact to about 10 %, and adds them up", () => {
  const all = timesOf(900, 1000, 1100, 40, 90_000)
  const read = readDurations(storedDurations(all))
  expect(medianMs(read)).toBeGreaterThan(900)
  expect(medianMs(read)).toBeLessThan(1100)
  addDurations(read, timesOf(5000, 5000, 5000, 5000, 5000, 5000))
  expect(medianMs(read)).toBeGreaterThan(4500)
  expect(medianMs(readDurations("damaged 3:x"))).toBe(0)
})
