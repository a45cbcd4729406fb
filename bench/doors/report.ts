// Collects figures of interleaved runs, and makes rows of them: ours, the bare limit of the same run, and what lies between.
import { median, quantile } from "../quantile.ts"
import type { Kind } from "./contender.ts"

/** `ratio`: ours divided by bare; `more`: ours minus bare; `alone`: only ours is judged. */
export type Comparison = "ratio" | "more" | "alone"

export interface Bound {
  readonly of: Comparison
  readonly atMost?: number
  readonly atLeast?: number
  /** Where bare takes more, the machine is too slow for the comparison, and the bound counts as missed. */
  readonly bareAtMost?: number
}

export interface Row {
  readonly load: string
  readonly door: string
  readonly figure: string
  readonly unit: string
  readonly ours: Spread
  readonly bare: Spread | undefined
  readonly ratio: number | undefined
  readonly bound: (Bound & { readonly isMet: boolean }) | undefined
}

export interface Spread {
  readonly median: number
  readonly p10: number
  readonly p90: number
  readonly runs: number
}

export class Report {
  readonly rows: Row[] = []
  readonly #figures = new Map<string, Record<Kind, number[]>>()

  add(door: string, figure: string, kind: Kind, ...values: readonly number[]): void {
    const key = `${door} ${figure}`
    const known = this.#figures.get(key) ?? { ours: [], bare: [] }
    for (const value of values) known[kind].push(value)
    this.#figures.set(key, known)
  }

  /** Makes the row of a figure from all that was added. */
  row(load: string, door: string, figure: string, unit: string, bound?: Bound): Row {
    const key = `${door} ${figure}`
    const { ours, bare } = this.#figures.get(key) ?? { ours: [], bare: [] }
    this.#figures.delete(key)
    const [mine, limit] = [spreadOf(ours), bare.length === 0 ? undefined : spreadOf(bare)]
    const ratio =
      limit === undefined || limit.median === 0 || ours.length === 0 ? undefined : mine.median / limit.median
    const judged = bound && judge(bound, mine, limit)
    const row = { load, door, figure, unit, ours: mine, bare: limit, ratio, bound: judged }
    this.rows.push(row)
    return row
  }

  get missed(): readonly Row[] {
    return this.rows.filter(({ bound }) => bound?.isMet === false)
  }
}

function judge(bound: Bound, ours: Spread, bare: Spread | undefined): Bound & { readonly isMet: boolean } {
  const base = bare?.median ?? Number.NaN
  const value = { ratio: ours.median / base, more: ours.median - base, alone: ours.median }[bound.of]
  const isShown = bound.bareAtMost === undefined || base <= bound.bareAtMost
  return { ...bound, isMet: isShown && value <= (bound.atMost ?? Infinity) && value >= (bound.atLeast ?? -Infinity) }
}

function spreadOf(values: readonly number[]): Spread {
  if (values.some(Number.isNaN)) throw new Error("a figure is not a number: something was not measured")
  return { median: median(values), p10: quantile(values, 0.1), p90: quantile(values, 0.9), runs: values.length }
}
