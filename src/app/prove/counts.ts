// Counts by names and column, for the table of a proof.

export interface CountRow<Column extends string> {
  readonly names: readonly string[]
  readonly counts: Readonly<Partial<Record<Column, number>>>
}

export class Counts<Column extends string> {
  total = 0
  readonly #rows = new Map<string, { readonly names: readonly string[]; readonly counts: Map<Column, number> }>()

  add(names: readonly string[], column: Column): void {
    const key = names.join("\n")
    const row = this.#rows.get(key) ?? { names, counts: new Map<Column, number>() }
    this.#rows.set(key, row)
    row.counts.set(column, (row.counts.get(column) ?? 0) + 1)
    this.total += 1
  }

  /** By name. */
  get rows(): readonly CountRow<Column>[] {
    const keys = [...this.#rows.keys()].toSorted()
    return keys.flatMap((key) => {
      const row = this.#rows.get(key)
      if (row === undefined) return []
      const counts: Partial<Record<Column, number>> = {}
      for (const [column, count] of row.counts) counts[column] = count
      return [{ names: row.names, counts }]
    })
  }
}
