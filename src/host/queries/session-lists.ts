// Sessions as rows: all, a page of the list, one tree, or some by their ids. Read from the directory; none is opened.
import { createHash } from "node:crypto"
import type { SessionId } from "../../contract/ids.ts"
import type { Queries } from "../../contract/queries.ts"
import type { ListedSession, SessionPage, SessionScope } from "../../contract/views/session-lists.ts"
import type { SessionLine } from "../../contract/views/status.ts"
import { matchingRows, restingRows, sessionRows } from "../../display/session-rows.ts"
import { ok, refused, type EventLog, type Outcome, type SessionRow } from "../../log/event-log.ts"
import { hostOf } from "../directory.ts"
import { activityOf, noStatus, readStatus } from "../../projection/status.ts"

/** Sessions of a tree that are listed. */
const MAX_TREE = 1000

const noTexts: ReadonlyMap<string, string> = new Map()

export function lines(rows: Outcome<readonly SessionRow[]>): Outcome<readonly SessionLine[]> {
  return rows.kind === "refused" ? rows : ok(rows.value.map(lineOf))
}

export function lineOf({ sessionId, createdAt, updatedAt, seq, owner, place, summary }: SessionRow): SessionLine {
  const status = readStatus(summary) ?? noStatus
  const host = owner === undefined ? null : hostOf(owner)
  return { sessionId, createdAt, updatedAt, seq, host, place, activity: activityOf(status), status }
}

/** The rows of the directory that a query is about. */
async function rowsInScope(
  log: EventLog,
  { org, sessionId }: SessionScope = {},
): Promise<Outcome<readonly SessionRow[]>> {
  const rows = await log.list(org === undefined ? undefined : { org })
  if (rows.kind === "refused" || sessionId === undefined) return rows
  return ok(rows.value.filter((row) => row.sessionId === sessionId))
}

export async function sessionPage(
  log: EventLog,
  { filter = "", offset = 0, limit, known, scope }: Queries["session-page"],
): Promise<Outcome<SessionPage>> {
  const found = lines(await rowsInScope(log, scope))
  if (found.kind === "refused") return found
  const all = sessionRows(found.value)
  const wanted = filter.trim()
  const chosen = wanted === "" ? restingRows(all) : matchingRows(all, wanted, noTexts)
  const rows = chosen.slice(offset, offset + limit).map(({ line, depth }): ListedSession => ({ line, depth }))
  const page = { total: all.length, matching: chosen.length, offset }
  const version = versionOf(page, rows)
  return ok({ ...page, version, ...(known === version ? {} : { rows }) })
}

export async function sessionTree(
  log: EventLog,
  { sessionId }: Queries["session-tree"],
): Promise<Outcome<readonly SessionLine[]>> {
  const found = lines(await log.list())
  if (found.kind === "refused") return found
  const byId = new Map<string, SessionLine>(found.value.map((line) => [line.sessionId, line]))
  if (!byId.has(sessionId)) return refused({ code: "session.unknown", wanted: sessionId })
  const children = Map.groupBy(found.value, ({ status }) => status.parentId ?? "")
  const tree: SessionLine[] = []
  for (let level = [byId.get(rootOf(byId, sessionId))]; level.length > 0 && tree.length < MAX_TREE;) {
    const here = level.flatMap((line) => line ?? [])
    tree.push(...here)
    level = here.flatMap((line) => children.get(line.sessionId) ?? [])
  }
  return ok(tree.slice(0, MAX_TREE))
}

export async function sessionLines(
  log: EventLog,
  { sessionIds }: Queries["session-lines"],
): Promise<Outcome<readonly SessionLine[]>> {
  const rows = await Promise.all([...new Set(sessionIds)].map((sessionId) => log.find(sessionId)))
  return ok(rows.flatMap((row) => (row.kind === "refused" ? [] : [lineOf(row.value)])))
}

/** Also ends where a damaged directory has a circle of parents. */
function rootOf(byId: ReadonlyMap<string, SessionLine>, sessionId: SessionId): SessionId {
  let root = sessionId
  for (let steps = 0; steps < MAX_TREE; steps += 1) {
    const parent = byId.get(root)?.status.parentId
    if (parent === undefined || !byId.has(parent)) return root
    root = parent
  }
  return root
}

function versionOf(page: Omit<SessionPage, "version" | "rows">, rows: readonly ListedSession[]): string {
  const facts = rows.map(({ line, depth }) => [line.sessionId, line.seq, line.updatedAt, line.host?.hostId, depth])
  return createHash("sha256")
    .update(JSON.stringify([page, facts]))
    .digest("base64url")
    .slice(0, 20)
}
