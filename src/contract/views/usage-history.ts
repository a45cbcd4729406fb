// What sessions took and cost by day.
import { z } from "zod"
import { list } from "./list.ts"

const modelUse = {
  modelCalls: z.int(),
  input: z.int(),
  output: z.int(),
  cacheRead: z.int(),
  /** Without calls whose price is not known. */
  usd: z.number(),
  unpricedCalls: z.int(),
  /** Median time of an answer, from the start of its step; 0 where none was measured. Exact to about 10 %. */
  medianMs: z.number(),
}

export const UsageSeries = z.object({
  name: z.string(),
  ...modelUse,
  /** Days on which something was used; `day` counts from the first day of the history. */
  days: list(z.object({ day: z.int(), ...modelUse })),
})
export type UsageSeries = z.infer<typeof UsageSeries>

const toolUse = { calls: z.int(), failed: z.int(), ms: z.number(), medianMs: z.number() }

export const ToolSeries = z.object({
  name: z.string(),
  ...toolUse,
  days: list(z.object({ day: z.int(), ...toolUse })),
})
export type ToolSeries = z.infer<typeof ToolSeries>

export const UsageHistory = z.object({
  /** The time zone of the days: the one that was asked for if the host knows it. */
  zone: z.string(),
  /** Dates (`2026-11-18`), oldest first, without gaps. */
  days: list(z.string()),
  /** Sessions in which something was used in these days. */
  sessions: z.int(),
  /** Sessions whose newest events are not counted yet; that goes on in the background. */
  behind: z.int(),
  all: UsageSeries,
  /** Those that cost or took most; the rest is one series with the name `others`. */
  models: list(UsageSeries),
  agents: list(UsageSeries),
  tools: list(ToolSeries),
  /** The same time by agent; absent in answers of older releases. */
  agentTools: list(ToolSeries).optional(),
})
export type UsageHistory = z.infer<typeof UsageHistory>
