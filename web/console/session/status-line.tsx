// The last line of a session: what happens now, what it costs, who else is here.
import { useState } from "preact/hooks"
import { activitySpan } from "../../../src/display/activity-span.ts"
import { costText } from "../../../src/display/format.ts"
import { clock } from "../../../src/display/time-text.ts"
import { Spans } from "../../shared/spans.tsx"
import { routeHash } from "../state/route.ts"
import { useQuery } from "../state/use-query.ts"
import type { SessionViewProps } from "./props.ts"
import { useNow } from "./items/elapsed.tsx"

export function StatusLine({ store, context }: SessionViewProps) {
  const model = store.model.value
  const link = store.link.value
  const share = useContextShare({ store, context })
  if (model === undefined) return null
  const { usage, budget, children } = model.status
  const cost = costText(usage.total)
  const limit = budget?.usd === undefined ? "" : ` of $${budget.usd.toFixed(2)}`
  const { watching } = model.viewers
  return (
    <footer class="status-line">
      <span role="status">{link.kind === "live" ? <Activity store={store} /> : <Lost />}</span>
      {(cost !== "" || limit !== "") && (
        <span>
          {cost === "" ? "$0.00" : cost}
          {limit}
        </span>
      )}
      {share !== undefined && (
        <span class="context-share">
          <label>
            context <meter min={0} max={1} high={0.9} value={share} /> {Math.round(share * 100)}%
          </label>
        </span>
      )}
      {children > 0 && <span>{children === 1 ? "1 agent" : `${children} agents`}</span>}
      {watching > 0 && <a href={routeHash({ sessionId: store.sessionId, panel: "people" })}>{watching} viewing</a>}
    </footer>
  )
}

function Activity({ store }: Pick<SessionViewProps, "store">) {
  const now = useNow()
  const model = store.model.value
  return model === undefined ? null : <Spans line={[activitySpan(model, now)]} />
}

function Lost() {
  const now = useNow()
  const [since] = useState(now)
  return <span class="s-warning">reconnecting {clock(now - since)}</span>
}

/** How full the context window of the model is; read again after each answer. */
function useContextShare({ store, context }: SessionViewProps): number | undefined {
  const { sessionId } = store
  const calls = store.model.value?.status.usage.total.modelCalls
  const usage = useQuery(context.port, { type: "context-usage", sessionId }, calls)
  if (usage === undefined || usage.window <= 0) return undefined
  const used = usage.parts.reduce((sum, { tokens }) => sum + tokens, 0)
  return Math.min(1, used / usage.window)
}
