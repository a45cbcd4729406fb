// What the session takes and costs: over time, by model, by tool and by agent.
import type { SessionId } from "../../../src/contract/ids.ts"
import type { SessionLine } from "../../../src/contract/views/status.ts"
import { costText, counted, moment } from "../../../src/display/format.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { measuresOf, type Measures, type ModelMeasure, type ToolMeasure } from "../../../src/projection/measures.ts"
import { Bars, type Bar } from "../charts/bars.tsx"
import { bucketsOf, median, sum, type Timed } from "../charts/buckets.ts"
import { Columns } from "../charts/columns.tsx"
import { count, dollars, seconds } from "../charts/units.ts"
import { routeHash } from "../state/route.ts"
import { answerTimeNote } from "./answer-time-note.ts"
import { useAnswer } from "./answer.ts"
import type { PanelContext } from "./panel.ts"
import { useSessionEvents } from "./session-events.ts"

/** Models with a chart of their own. */
const MAX_MODELS = 6

export function Cost(context: PanelContext) {
  const read = useSessionEvents(context)
  const { port, store, session } = context
  const sessionId = store?.sessionId ?? ""
  const tree = useAnswer(sessionId, () => port.query({ type: "session-tree", sessionId }))
  if (read.kind === "problem") return <p role="alert">{read.what}</p>
  if (read.kind === "reading" || session.value === undefined) return <p class="empty">Reading the log …</p>
  const measures = measuresOf(read.events)
  if (measures.models.length === 0) return <p class="empty">No model has answered yet: nothing was spent.</p>
  const { total } = session.value.status.usage
  const price = costText(total)
  return (
    <>
      <h3>
        {price === "" ? "no cost" : price} · {counted(total.modelCalls, "model call")}
      </h3>
      <p class="muted">
        {count(total.input + total.cacheRead)} tokens in ({count(total.cacheRead)} from the cache),{" "}
        {count(total.output)} out, agents included. The charts show this agent.
      </p>
      {read.isCut && <p class="muted">The charts show the newest events only.</p>}
      <Charts measures={measures} />
      <p class="muted">{answerTimeNote}</p>
      <Agents lines={tree.kind === "answer" ? tree.value : []} sessionId={sessionId} />
    </>
  )
}

function Charts({ measures: { models, tools } }: { readonly measures: Measures }) {
  return (
    <>
      {models.some(({ usd = 0 }) => usd > 0) && (
        <Over title="Cost" values={models.map(pricedBy)} merge={sum} format={dollars} />
      )}
      <Over title="Tokens" values={models.flatMap(tokensBy)} merge={sum} format={count} />
      <AnswerTimes models={models} />
      {tools.length > 0 && (
        <>
          <Over title="Tool time" values={tools.map(toolTime)} merge={sum} format={seconds} />
          <Bars title="Tool time by tool" bars={toolBars(tools)} />
        </>
      )}
    </>
  )
}

/** A chart for each model: medians must not be stacked. */
function AnswerTimes({ models }: Pick<Measures, "models">) {
  const byModel = [...Map.groupBy(models, ({ model }) => model)]
  return (
    <>
      {byModel.slice(0, MAX_MODELS).map(([model, answers]) => (
        <Over
          key={model}
          title={byModel.length === 1 ? "Answer time, median" : `Answer time of ${safe(model)}, median`}
          values={answers.map(timed)}
          merge={median}
          format={seconds}
        />
      ))}
    </>
  )
}

interface OverProps {
  readonly title: string
  readonly values: readonly Timed[]
  readonly merge: (values: readonly number[]) => number
  readonly format: (value: number) => string
}

function Over({ title, values, merge, format }: OverProps) {
  const { starts, series } = bucketsOf(values, merge)
  return <Columns title={title} labels={starts.map(moment)} series={series} format={format} />
}

function Agents({ lines, sessionId }: { readonly lines: readonly SessionLine[]; readonly sessionId: SessionId }) {
  const bars = lines.filter((line) => line.sessionId === sessionId || line.status.parentId === sessionId).map(agentBar)
  return bars.length > 1 ? <Bars title="By agent, each with its own agents" bars={bars} /> : null
}

function agentBar({ sessionId, status }: SessionLine): Bar {
  const { total } = status.usage
  const text = [costText(total), `${count(total.input + total.cacheRead + total.output)} tokens`]
    .filter((part) => part !== "")
    .join(" · ")
  const name = status.name ?? status.title ?? "no prompt yet"
  return { name, value: total.usd > 0 ? total.usd : 0, text, href: routeHash({ sessionId, panel: "cost" }) }
}

function toolBars(tools: readonly ToolMeasure[]): readonly Bar[] {
  return [...Map.groupBy(tools, ({ tool }) => tool)].map(([name, calls]) => {
    const times = calls.map(({ ms }) => ms)
    const failed = calls.filter(({ outcome }) => outcome === "failed").length
    const facts = [
      seconds(sum(times)),
      counted(calls.length, "call"),
      `median ${seconds(median(times))}`,
      ...(failed === 0 ? [] : [`${failed} failed`]),
    ]
    return { name, value: sum(times), text: facts.join(" · ") }
  })
}

function pricedBy({ at, model, usd = 0 }: ModelMeasure): Timed {
  return { at, name: model, value: usd }
}

function tokensBy({ at, usage }: ModelMeasure): readonly Timed[] {
  if (usage === undefined) return []
  return [
    { at, name: "in", value: usage.input },
    { at, name: "from the cache", value: usage.cacheRead },
    { at, name: "out", value: usage.output },
  ]
}

function timed({ at, model, ms }: ModelMeasure): Timed {
  return { at, name: model, value: ms }
}

function toolTime({ at, tool, ms }: ToolMeasure): Timed {
  return { at, name: tool, value: ms }
}
