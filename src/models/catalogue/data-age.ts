// How old the data about models is. Nothing is fetched without a command; old data is reported.
import type { ModelCatalogue } from "./model-catalogue.ts"

const OLD_DAYS = 60
const DAY_MS = 24 * 60 * 60 * 1000

export interface DataAge {
  /** Of the newest data: `2026-11-02`. */
  readonly date: string
  readonly days: number
  readonly isOld: boolean
}

export function dataAge(
  { bundledData, fetchedData }: Pick<ModelCatalogue, "bundledData" | "fetchedData">,
  now: Date,
): DataAge {
  const dates = [bundledData.date, ...(fetchedData === undefined ? [] : [fetchedData.date])].map((date) =>
    date.slice(0, 10),
  )
  const date = dates.toSorted().at(-1) ?? ""
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(date)) / DAY_MS))
  return { date, days, isOld: days > OLD_DAYS }
}
