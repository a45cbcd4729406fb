// One session in the list, on two lines: what it is, and what it does.
import { costText, span } from "../../../src/display/format.ts"
import { rankSigns, stateText, type SessionRow } from "../../../src/display/session-rows.ts"
import { oneLine } from "../../../src/contract/text/text.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { routeHash } from "../state/route.ts"
import { serverNow } from "../state/server-clock.ts"

export const ROW_HEIGHT = 56

interface SessionRowProps {
  readonly row: SessionRow
  /** Pixels from the beginning of the list. */
  readonly top: number
  readonly isCurrent: boolean
}

const MAX_TITLE = 160
const MAX_DEPTH = 5

export function SessionRowLink({ row, top, isCurrent }: SessionRowProps) {
  const { line, folder, title, depth, rank } = row
  const { sessionId, status, updatedAt } = line
  const model = status.model.slice(status.model.lastIndexOf("/") + 1)
  const cost = costText(status.usage.total)
  const node = line.host?.node === undefined ? "" : `on ${oneLine(line.host.node, 30)}`
  const facts = [stateText(line), node, oneLine(model, 30), cost].filter((part) => part !== "")
  const age = serverNow() - updatedAt
  return (
    <li class="session-row" style={{ top: `${top}px` }}>
      <a
        href={routeHash({ sessionId, panel: undefined })}
        data-rank={rank}
        data-session={sessionId}
        aria-current={isCurrent ? "page" : undefined}
        style={{ paddingLeft: `${0.75 + Math.min(depth, MAX_DEPTH)}rem` }}
      >
        <span class="session-name">
          <span class="sign" aria-hidden="true">
            {rankSigns[rank]}
          </span>
          {depth === 0 && <strong>{safe(oneLine(folder, 40))}</strong>}
          <span class="session-title">{safe(oneLine(title, MAX_TITLE))}</span>
        </span>
        <span class="session-facts">
          <span>{safe(facts.join(" · "))}</span>
          <span>{span(Math.max(0, age))}</span>
        </span>
      </a>
    </li>
  )
}
