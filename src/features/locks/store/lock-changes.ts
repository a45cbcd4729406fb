// What has changed in the book between two looks at it, whoever changed it. Pure, but for what it remembers of the last
// look. A row that is gone was given back unless the book says that it was taken away; of rows of other programs it says
// nothing, so there it counts whether the holder could still have done it.
import { isStale, type LockRow, type Machine, type Moment } from "../lock-table.ts"
import type { BookPage } from "./store.ts"

export interface LockChange {
  /** A new status counts as taking it again. */
  readonly change: "acquired" | "released" | "stale"
  readonly row: LockRow
  readonly heldMs: number
}

export class LockNews {
  readonly #machine: Machine
  #known: ReadonlyMap<string, LockRow> | undefined

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Nobody looks any more: what happens meanwhile is no news later. */
  forget(): void {
    this.#known = undefined
  }

  /** The first look tells nothing. */
  look({ rows, lost }: Pick<BookPage, "rows" | "lost">, moment: Moment): readonly LockChange[] {
    const known = this.#known
    const found = new Map(rows.map((row) => [row.id, row]))
    this.#known = found
    if (known === undefined) return []
    const gone = [...known.values()].filter((row) => !isSameHold(found.get(row.id), row))
    const fresh = rows.filter(
      (row) => !isSameHold(known.get(row.id), row) || known.get(row.id)?.own?.status !== row.own?.status,
    )
    return [
      ...gone.map((row) => changeOf(this.#wasLost(row, lost, moment) ? "stale" : "released", row, moment)),
      ...fresh.map((row) => changeOf("acquired", row, moment)),
    ]
  }

  #wasLost(row: LockRow, lost: ReadonlySet<number>, moment: Moment): boolean {
    return row.own === undefined ? isStale(row, this.#machine, moment) : lost.has(row.own.fence)
  }
}

export function heldMs({ acquiredAt }: LockRow, { now }: Moment): number {
  return Math.max(0, now - acquiredAt)
}

function changeOf(change: LockChange["change"], row: LockRow, moment: Moment): LockChange {
  return { change, row, heldMs: heldMs(row, moment) }
}

function isSameHold(one: LockRow | undefined, other: LockRow): boolean {
  if (one === undefined) return false
  return one.holder === other.holder && one.acquiredAt === other.acquiredAt && one.own?.fence === other.own?.fence
}
