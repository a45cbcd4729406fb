// The cost of a call from prices for a million tokens.
import type { Usage } from "../../contract/values.ts"
import type { TokenPrices } from "../../contract/views/host.ts"
import type { CataloguePrices } from "./catalogue-line.ts"

export function tokenCostUsd(prices: TokenPrices, usage: Usage): number {
  const write5m = prices.cacheWrite5m ?? prices.input
  const uncached = usage.input - usage.cacheRead - usage.cacheWrite5m - usage.cacheWrite1h
  const millionths =
    uncached * prices.input +
    usage.cacheRead * (prices.cacheRead ?? prices.input) +
    usage.cacheWrite5m * write5m +
    usage.cacheWrite1h * (prices.cacheWrite1h ?? write5m) +
    usage.output * prices.output
  return millionths / 1_000_000
}

/** A long request may cost more for all of its tokens. */
export function catalogueCostUsd({ base, longer }: CataloguePrices, usage: Usage): number {
  const tier = longer.findLast(({ inputAbove }) => usage.input > inputAbove)
  return tokenCostUsd(tier?.prices ?? base, usage)
}
