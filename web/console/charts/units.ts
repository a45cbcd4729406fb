// Values of charts as people read them. Pure.
import { costText } from "../../../src/display/format.ts"

export function dollars(usd: number): string {
  return costText({ usd, unpricedCalls: 0 }) || "$0"
}

export function count(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: 1, notation: value < 10_000 ? "standard" : "compact" })
}

export function seconds(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`
}
