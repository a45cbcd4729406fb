// The tree of agents around a session: what each does, what it costs, and which locks it has or waits for. Pure.
import type { SessionId } from "../../contract/ids.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { LockListing } from "../../contract/views/host.ts"
import type { SessionLine } from "../../contract/views/status.ts"
import { costText, span } from "../format.ts"
import { rankSigns, stateText, treeRows, type SessionRow } from "../session-rows.ts"
import type { RowText } from "./row-text.ts"

const MAX_TITLE = 200

/** The agents of the tree that the session belongs to, each after the one that started it. */
export function agentTree(lines: readonly SessionLine[], current: SessionId): readonly SessionRow[] {
  const byId = new Map(lines.map((line) => [line.sessionId, line]))
  const root = rootOf(byId, current)
  if (root === undefined) return []
  const families = Map.groupBy(lines, ({ status }) => status.parentId ?? "")
  return treeRows(root, 0, families)
}

/** `current` is the session that the window shows. */
export function agentTexts(lines: readonly SessionLine[], locks: LockListing, current: SessionId): readonly RowText[] {
  return agentTree(lines, current).map((row) => agentText(row, locks, current))
}

function rootOf(byId: ReadonlyMap<string, SessionLine>, current: SessionId): SessionLine | undefined {
  let line = byId.get(current)
  for (let steps = 0; steps < byId.size; steps += 1) {
    const parent = byId.get(line?.status.parentId ?? "")
    if (parent === undefined) return line
    line = parent
  }
  return line
}

function agentText({ line, depth, rank, title }: SessionRow, locks: LockListing, current: SessionId): RowText {
  const { sessionId, status } = line
  const isCurrent = sessionId === current
  const branch = depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `
  const left = `${branch}${rankSigns[rank]} ${oneLine(title, MAX_TITLE)}${isCurrent ? "  (this window)" : ""}`
  const right = [stateText(line), costText(status.usage.total)].filter((part) => part !== "").join(" · ")
  const styles = [...(isCurrent ? (["bold"] as const) : []), ...(rank === 0 ? (["accent"] as const) : [])]
  const notes = lockNotes(locks, sessionId)
  return { sessionId, left, right, notes, styles }
}

/** Sentences about the locks of one agent. */
export function lockNotes({ held, waiting }: LockListing, sessionId: SessionId): readonly string[] {
  const own = held.filter(({ holder }) => holder === sessionId)
  const wanted = waiting.filter(({ holder }) => holder === sessionId)
  return [
    ...own.map(({ lock, scope, heldMs }) => `holds ${lock} lock of ${scope} for ${span(heldMs)}`),
    ...wanted.map(
      ({ wants, waitedMs }) =>
        `waits ${span(waitedMs)} for ${wants.map(({ lock, scope }) => `${lock} lock of ${scope}`).join(", ")}`,
    ),
  ]
}
