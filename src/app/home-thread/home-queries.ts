// Queries over the texts and the usage of all sessions, answered from indexes of the home. Runs in a thread of its own.
import type { Answers, Queries } from "../../contract/queries.ts"
import type { FoundSession, SessionScope } from "../../contract/views/session-lists.ts"
import { lineOf } from "../../host/queries/session-lists.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { noStatus, readStatus, type SessionStatus } from "../../projection/status.ts"
import { type FoundText, SearchIndex } from "../search/search-index.ts"
import { Calendar, usageHistory } from "../usage/usage-history.ts"
import { HOUR_MS, UsageIndex } from "../usage/usage-index.ts"
import { Upkeep } from "./upkeep.ts"

/** How long a query waits for an index that is behind. */
const PATIENCE_MS = 500
const USUAL_LIMIT = 30
const MATCHES_PER_SESSION = 3

export class HomeQueries implements Disposable {
  readonly #log: EventLog
  readonly #home: string
  #texts: { readonly index: SearchIndex; readonly upkeep: Upkeep } | undefined
  #usage: { readonly index: UsageIndex; readonly upkeep: Upkeep } | undefined

  constructor(home: string, log: EventLog) {
    this.#home = home
    this.#log = log
  }

  [Symbol.dispose](): void {
    this.#texts?.index[Symbol.dispose]()
    this.#usage?.index[Symbol.dispose]()
  }

  async searchSessions({
    text,
    limit = USUAL_LIMIT,
    scope,
  }: Queries["search-sessions"]): Promise<Answers["search-sessions"]> {
    const { index, upkeep } = (this.#texts ??= this.#kept(new SearchIndex(this.#home)))
    const behind = await upkeep.catchUp(PATIENCE_MS)
    const rows = new Map<string, SessionRow>(sessionsIn(upkeep.rows, scope).map(({ row }) => [row.sessionId, row]))
    const sessions = [
      ...Map.groupBy(
        index.find(text, (id) => rows.has(id)),
        ({ sessionId }) => sessionId,
      ),
    ]
    return { behind, sessions: sessions.slice(0, limit).flatMap(([id, texts]) => foundSession(rows.get(id), texts)) }
  }

  async usageHistory(
    { days, zone, scope }: Queries["usage-history"],
    now = Date.now(),
  ): Promise<Answers["usage-history"]> {
    const { index, upkeep } = (this.#usage ??= this.#kept(new UsageIndex(this.#home)))
    const behind = await upkeep.catchUp(PATIENCE_MS)
    const sessions = new Map<string, SessionStatus>(
      sessionsIn(upkeep.rows, scope).map(({ row, status }) => [row.sessionId, status]),
    )
    const fromHour = Math.floor(now / HOUR_MS) - (days + 1) * 24
    const [models, tools] = [index.models(fromHour), index.tools(fromHour)]
    return { behind, ...usageHistory({ models, tools, sessions, calendar: new Calendar(now, days, zone) }) }
  }

  #kept<Index extends SearchIndex | UsageIndex>(index: Index) {
    return { index, upkeep: new Upkeep(index, this.#log) }
  }
}

function sessionsIn(rows: readonly SessionRow[], { org, sessionId }: SessionScope = {}) {
  return rows
    .filter((row) => sessionId === undefined || row.sessionId === sessionId)
    .map((row) => ({ row, status: readStatus(row.summary) ?? noStatus }))
    .filter(({ status }) => org === undefined || status.org === org)
}

function foundSession(row: SessionRow | undefined, texts: readonly FoundText[]): readonly FoundSession[] {
  if (row === undefined) return []
  const matches = texts.slice(0, MATCHES_PER_SESSION)
  return [{ line: lineOf(row), matches: matches.map(({ seq, at, kind, snippet }) => ({ seq, at, kind, snippet })) }]
}
