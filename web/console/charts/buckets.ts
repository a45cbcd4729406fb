// Puts values with a time into columns of equal duration. Pure.

export interface Timed {
  readonly at: number
  /** Which series it belongs to. */
  readonly name: string
  readonly value: number
}

export interface Buckets {
  /** The start of each column. */
  readonly starts: readonly number[]
  /** By series; one value for each column. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[]
}

const MAX_COLUMNS = 48
const SECOND = 1000
const durations = [1, 5, 15, 60, 300, 900, 3600, 4 * 3600, 86_400, 7 * 86_400, 28 * 86_400].map(
  (seconds) => seconds * SECOND,
)

/** `merge`: how values of the same column and series become one. */
export function bucketsOf(values: readonly Timed[], merge: (values: readonly number[]) => number): Buckets {
  const times = values.map(({ at }) => at)
  if (times.length === 0) return { starts: [], series: [] }
  const [first, last] = [minimum(times), -minimum(times.map((at) => -at))]
  const duration = durations.find((each) => (last - first) / each < MAX_COLUMNS) ?? (last - first) / (MAX_COLUMNS - 1)
  const begin = Math.floor(first / duration) * duration
  const count = Math.floor((last - begin) / duration) + 1
  const starts = Array.from({ length: count }, (_, index) => begin + index * duration)
  const groups = Map.groupBy(values, ({ name }) => name)
  const series = [...groups].map(([name, members]) => {
    const columns = Map.groupBy(members, ({ at }) => Math.floor((at - begin) / duration))
    return { name, values: starts.map((_, index) => merge((columns.get(index) ?? []).map(({ value }) => value))) }
  })
  return { starts, series }
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** 0 without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)] ?? 0
}

function minimum(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity)
}
