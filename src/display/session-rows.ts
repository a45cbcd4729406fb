// Sessions in the order of every list of them: what waits for approval, what is live, what is recent; agents below the session
// that started them. Pure.
import type { SessionLine } from "../contract/views/status.ts"
import { fuzzyScore } from "./fuzzy.ts"

export interface SessionRow {
  readonly line: SessionLine
  readonly folder: string
  readonly title: string
  /** Generations below the first session of its tree that is listed. */
  readonly depth: number
  readonly rank: Rank
  /** What was found in its text. */
  readonly snippet?: string
}

/** 0 needs the user, 1 is live, 2 is at rest. */
export type Rank = 0 | 1 | 2

export const rankSigns = ["!", "●", "○"] as const

export function rankOf({ activity, status }: SessionLine): Rank {
  if (activity === "asking" || status.childApprovals > 0) return 0
  return activity === "busy" || activity === "parked" ? 1 : 2
}

/** One vocabulary for all clients. */
export function stateText({ activity, status }: SessionLine): string {
  if (activity === "asking" || status.childApprovals > 0) return "waiting for approval"
  if (status.life === "ended") return "finished"
  const agents = status.children === 0 ? "" : ` · ${status.children} ${status.children === 1 ? "agent" : "agents"}`
  return { busy: `working${agents}`, parked: "parked (budget)", hibernated: "suspended", idle: "idle" }[activity]
}

export function titleOf({ status }: Pick<SessionLine, "status">): string {
  return status.name ?? status.title ?? status.spawnReason ?? "(no prompt)"
}

export function folderName(cwd: string): string {
  return cwd.split("/").findLast((part) => part !== "") ?? "/"
}

type Families = ReadonlyMap<string, readonly SessionLine[]>

/** All sessions in which something happened. */
export function sessionRows(lines: readonly SessionLine[]): readonly SessionRow[] {
  const known = new Set(lines.map(({ sessionId }) => sessionId))
  const parentOf = ({ status: { parentId } }: SessionLine) =>
    parentId !== undefined && known.has(parentId) ? parentId : ""
  const families: Families = Map.groupBy(lines, parentOf)
  const trees = (families.get("") ?? []).map((root) => treeRows(root, 0, families)).filter(hasContent)
  return trees
    .map((rows) => ({ rows, rank: Math.min(...rows.map(({ rank }) => rank)), at: rows[0]?.line.updatedAt ?? 0 }))
    .toSorted((one, other) => one.rank - other.rank || other.at - one.at)
    .flatMap(({ rows }) => rows)
}

/** The session and its agents, in the order in which they were started. */
export function treeRows(line: SessionLine, depth: number, families: Families): readonly SessionRow[] {
  const children = (families.get(line.sessionId) ?? []).toSorted((one, other) => one.createdAt - other.createdAt)
  return [rowOf(line, depth), ...children.flatMap((child) => treeRows(child, depth + 1, families))]
}

export function rowOf(line: SessionLine, depth: number): SessionRow {
  return { line, folder: folderName(line.status.cwd), title: titleOf(line), depth, rank: rankOf(line) }
}

function hasContent(rows: readonly SessionRow[]): boolean {
  const status = rows[0]?.line.status
  return rows.length > 1 || (status !== undefined && status.turns + status.waitingPrompts > 0)
}

/** Agents that have ended are found by a search only. */
export function restingRows(rows: readonly SessionRow[]): readonly SessionRow[] {
  return rows.filter(({ depth, line }) => depth === 0 || line.status.life === "open")
}

/** Matches of titles and folders, then those of texts. `texts`: what was found in them, by session. */
export function matchingRows(
  rows: readonly SessionRow[],
  query: string,
  texts: ReadonlyMap<string, string>,
): readonly SessionRow[] {
  const scored = rows.flatMap((row) => {
    const score = fuzzyScore(query, `${row.folder} ${row.title}`) ?? fuzzyScore(query, row.line.status.cwd)
    const snippet = texts.get(row.line.sessionId)
    if (score !== undefined) return [{ row, score }]
    return snippet === undefined ? [] : [{ row: { ...row, snippet }, score: -Infinity }]
  })
  return scored
    .toSorted((one, other) => one.row.rank - other.row.rank || compare(other.score, one.score))
    .map(({ row }) => ({ ...row, depth: 0 }))
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1
}
