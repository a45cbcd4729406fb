// Median and other quantiles.
export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

export function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN
}
