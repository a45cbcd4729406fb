// Where the agents of a tree are drawn: one row each, indented below the agent that started it. Pure.
import type { SessionRow } from "../../../src/display/session-rows.ts"
import type { LockListing } from "../../../src/contract/views/host.ts"

export interface GraphNode {
  readonly row: SessionRow
  readonly x: number
  readonly y: number
  /** The node above; undefined for the root. */
  readonly parent: number | undefined
}

/** One agent waits for a lock that another one holds. */
export interface Wait {
  readonly from: number
  readonly to: number
  readonly text: string
}

export const ROW_HEIGHT = 54
export const INDENT = 26

/** `rows` in the order of the tree. */
export function graphNodes(rows: readonly SessionRow[]): readonly GraphNode[] {
  return rows.map((row, at) => {
    const parent = rows.findLastIndex((other, index) => index < at && other.depth < row.depth)
    return { row, x: row.depth * INDENT, y: at * ROW_HEIGHT, parent: parent < 0 ? undefined : parent }
  })
}

/** Between agents of this tree only. The one that holds the lock of the same scope is waited for. */
export function waitsIn(rows: readonly SessionRow[], { held, waiting }: LockListing): readonly Wait[] {
  const index = new Map<string, number>(rows.map(({ line }, at) => [line.sessionId, at]))
  return waiting.flatMap(({ holder, wants }) =>
    wants.flatMap(({ lock, scope }) => {
      const owner = held.find((other) => other.scope === scope && other.holder !== holder)
      const [from, to] = [index.get(holder), index.get(owner?.holder ?? "")]
      return from === undefined || to === undefined ? [] : [{ from, to, text: `${lock} lock of ${scope}` }]
    }),
  )
}
