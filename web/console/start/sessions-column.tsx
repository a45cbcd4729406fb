// The sessions: what needs a person first, then live, then recent; agents below the session that started them. Only what is
// visible is read from the server and in the page.
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { counted } from "../../../src/display/format.ts"
import type { SessionList } from "../state/session-list.ts"
import { navigate } from "../state/route.ts"
import { FoundTexts, placeOf } from "./found-texts.tsx"
import { SessionRowLink, ROW_HEIGHT } from "./session-row.tsx"

interface SessionsColumnProps {
  readonly list: SessionList
  readonly current: string | undefined
}

/** Rows above and below what is visible. */
const MARGIN = 6
/** After the last letter of a filter. */
const TYPING_MS = 120
const SEARCH_MS = 300
/** Characters of a text that is searched for. */
const MIN_TEXT = 3

export function SessionsColumn({ list, current }: SessionsColumnProps) {
  const query = useSignal("")
  const box = useRef<HTMLDivElement>(null)
  const view = useSignal({ top: 0, height: 900 })
  const wanted = query.value.trim()
  const first = Math.max(0, Math.floor(view.value.top / ROW_HEIGHT) - MARGIN)
  const count = Math.ceil(view.value.height / ROW_HEIGHT) + 2 * MARGIN
  const page = list.page.value
  const isShown = page !== undefined && page.total > 0
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => (view.value = { top: element.scrollTop, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [isShown])
  useEffect(() => {
    const timer = setTimeout(() => void list.show(wanted, first), page?.filter === wanted ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [list, wanted, first])
  useEffect(() => {
    const text = wanted.length < MIN_TEXT ? "" : wanted
    const timer = setTimeout(() => void list.find(text), text === "" ? 0 : SEARCH_MS)
    return () => clearTimeout(timer)
  }, [list, wanted])
  if (page === undefined) return <p class="empty late">Reading the sessions …</p>
  const shown = page.rows.slice(Math.max(0, first - page.offset), Math.max(0, first + count - page.offset))
  const found = list.found.value?.text === wanted ? list.found.value : undefined
  const begin = Math.max(first, page.offset)
  const openFirst = async () => {
    if (box.current !== null) box.current.scrollTop = 0
    const [row] = (await list.show(query.value.trim()))?.rows ?? []
    const [text] = list.found.value?.text === query.value.trim() ? (list.found.value?.sessions ?? []) : []
    if (row !== undefined) navigate({ sessionId: row.line.sessionId, panel: undefined })
    else if (text !== undefined) navigate(placeOf(text))
  }
  if (page.total === 0)
    return (
      <p class="empty">
        No sessions yet. Start one here, or run <code>turnhouse</code> in a project.
      </p>
    )
  return (
    <>
      <search>
        <input
          id="search"
          type="search"
          aria-label="Search sessions"
          placeholder="Search sessions  /"
          value={query.value}
          onInput={(event) => (query.value = event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && void openFirst()}
        />
        <span class="muted" role="status">
          {page.filter === "" ? counted(page.matching, "session") : `${page.matching} of ${page.total}`}
        </span>
      </search>
      {page.matching === 0 && (found?.sessions.length ?? 0) === 0 && <p class="empty">No session matches.</p>}
      <div
        class="session-rows"
        ref={box}
        onScroll={({ currentTarget }) =>
          (view.value = { top: currentTarget.scrollTop, height: currentTarget.clientHeight })
        }
      >
        <ul style={{ height: `${page.matching * ROW_HEIGHT}px` }}>
          {shown.map((row, at) => (
            <SessionRowLink
              key={row.line.sessionId}
              row={row}
              top={(begin + at) * ROW_HEIGHT}
              isCurrent={row.line.sessionId === current}
            />
          ))}
        </ul>
        {found !== undefined && <FoundTexts found={found} />}
      </div>
    </>
  )
}
