// The efforts that providers know, and the one for a thinking level.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type { ThinkingLevel } from "../../contract/values.ts"

export type Effort = Exclude<NonNullable<LanguageModelV4CallOptions["reasoning"]>, "provider-default">

export const allEfforts: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]

/** The nearest effort of the list, the lesser of two at the same distance. Only `off` is no thinking at all. */
export function nearest(level: ThinkingLevel, efforts: readonly Effort[] = allEfforts): Effort {
  const wanted = allEfforts.indexOf(level === "off" ? "none" : level)
  const distance = (effort: Effort) => Math.abs(allEfforts.indexOf(effort) - wanted)
  const possible = level === "off" ? efforts : efforts.filter((effort) => effort !== "none")
  return possible.toSorted((a, b) => distance(a) - distance(b))[0] ?? "medium"
}
