// What all sessions took and cost by day: tokens, cost, answer times and tool time, by model and by agent.
import { useState } from "preact/hooks"
import { costText, counted } from "../../../src/display/format.ts"
import type { ToolSeries, UsageHistory, UsageSeries } from "../../../src/contract/views/usage-history.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { Bars, type Bar } from "../charts/bars.tsx"
import { Columns, type Series } from "../charts/columns.tsx"
import { count, dollars, seconds } from "../charts/units.ts"
import { answerTimeNote } from "./answer-time-note.ts"
import { useAnswer } from "./answer.ts"
import type { PanelContext } from "./panel.ts"

const RANGES = [7, 30, 90] as const

export function Usage({ port }: PanelContext) {
  const [days, setDays] = useState<number>(30)
  const [by, setBy] = useState<"models" | "agents">("models")
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const asked = useAnswer(`usage ${days}`, () => port.query({ type: "usage-history", days, zone }))
  return (
    <>
      <div class="usage-choice">
        <label class="field">
          Days
          <select value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
            {RANGES.map((range) => (
              <option key={range} value={range}>
                {range}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          By
          <select
            value={by}
            onChange={({ currentTarget }) => setBy(currentTarget.value === "agents" ? "agents" : "models")}
          >
            <option value="models">model</option>
            <option value="agents">agent</option>
          </select>
        </label>
      </div>
      {asked.kind === "asking" && <p class="empty late">Adding up the sessions …</p>}
      {asked.kind === "problem" && <p role="alert">{asked.what}</p>}
      {asked.kind === "answer" && <History history={asked.value} by={by} />}
    </>
  )
}

function History({ history, by }: { readonly history: UsageHistory; readonly by: "models" | "agents" }) {
  const { all, behind, days, sessions, tools, agentTools = [] } = history
  const series = history[by]
  return (
    <>
      {behind > 0 && (
        <p role="status" class="muted">
          {counted(behind, "session")} still to read: the figures grow until then.
        </p>
      )}
      {all.modelCalls === 0 && behind === 0 ? (
        <p class="empty">No model has answered in the last {days.length} days.</p>
      ) : (
        <Totals all={all} sessions={sessions} />
      )}
      {all.usd > 0 && (
        <Daily title="Cost" days={days} series={series.map(valuesOf(days, ({ usd }) => usd))} format={dollars} />
      )}
      {all.modelCalls > 0 && (
        <>
          <Daily title="Tokens" days={days} series={tokenSeries(all, days)} format={count} />
          <Daily
            title="Answer time, median"
            days={days}
            series={[{ ...valuesOf<UsageSeries>(days, ({ medianMs }) => medianMs)(all), name: "all models" }]}
            format={seconds}
          />
          <Bars title={by === "models" ? "By model" : "By agent"} bars={series.map(useBar)} />
        </>
      )}
      {tools.length > 0 && (
        <>
          <Daily title="Tool time" days={days} series={tools.map(valuesOf(days, ({ ms }) => ms))} format={seconds} />
          <Bars title="Tool time by tool" bars={tools.map(toolBar)} />
          {agentTools.length > 0 && <Bars title="Tool time by agent" bars={agentTools.map(toolBar)} />}
        </>
      )}
      <p class="muted">
        {answerTimeNote} Days are those of {history.zone}. Deleted sessions do not count.
        {all.unpricedCalls > 0 && ` The price of ${counted(all.unpricedCalls, "call")} is not known.`}
      </p>
    </>
  )
}

function Totals({ all, sessions }: { readonly all: UsageSeries; readonly sessions: number }) {
  const price = costText(all)
  return (
    <>
      <h3>
        {price === "" ? "no cost" : price} · {counted(all.modelCalls, "model call")} · {counted(sessions, "session")}
      </h3>
      <p class="muted">
        {count(all.input + all.cacheRead)} tokens in ({count(all.cacheRead)} from the cache), {count(all.output)} out;
        median answer {seconds(all.medianMs)}.
      </p>
    </>
  )
}

interface DailyProps {
  readonly title: string
  readonly days: readonly string[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
}

function Daily({ title, days, series, format }: DailyProps) {
  return <Columns title={title} labels={days} series={series} format={format} />
}

interface DaySeries<Day> {
  readonly name: string
  readonly days: readonly Day[]
}

/** One value for each day, 0 where nothing was used. */
function valuesOf<From extends DaySeries<{ readonly day: number }>>(
  days: readonly string[],
  valueOf: (day: From["days"][number]) => number,
): (series: From) => Series {
  return ({ name, days: used }) => {
    const values = new Map(used.map((one) => [one.day, valueOf(one)]))
    return { name: safe(name), values: days.map((_, day) => values.get(day) ?? 0) }
  }
}

function tokenSeries(all: UsageSeries, days: readonly string[]): readonly Series[] {
  return [
    { ...valuesOf<UsageSeries>(days, ({ input }) => input)(all), name: "in" },
    { ...valuesOf<UsageSeries>(days, ({ cacheRead }) => cacheRead)(all), name: "from the cache" },
    { ...valuesOf<UsageSeries>(days, ({ output }) => output)(all), name: "out" },
  ]
}

function useBar({ name, usd, input, output, cacheRead, modelCalls, unpricedCalls, medianMs }: UsageSeries): Bar {
  const facts = [
    costText({ usd, unpricedCalls }),
    `${count(input + cacheRead + output)} tokens`,
    counted(modelCalls, "call"),
    `median ${seconds(medianMs)}`,
  ]
  return { name: safe(name), value: input + cacheRead + output, text: facts.filter((fact) => fact !== "").join(" · ") }
}

function toolBar({ name, calls, failed, ms, medianMs }: ToolSeries): Bar {
  const facts = [
    seconds(ms),
    counted(calls, "call"),
    `median ${seconds(medianMs)}`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ]
  return { name: safe(name), value: ms, text: facts.join(" · ") }
}
