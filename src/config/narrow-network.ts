// `tools.network` of a project's file: it can take hosts away from the user's setting, and add none.
import { isObject } from "../contract/json-object.ts"
import { isCoveredByRules } from "../contract/rules/network-rules.ts"
import { isTexts } from "./plain.ts"

export interface Narrowed {
  readonly value: unknown
  readonly warning?: string
}

/** What is neither setting is left to the checker. */
export function narrowNetwork(own: unknown, requested: unknown): Narrowed {
  if (own === undefined || own === "all" || requested === "none") return { value: requested }
  const ownRules = rulesOf(own)
  const rules = rulesOf(requested)
  if (own === "none") return { value: own, warning: 'tools.network stays "none": a project\'s file cannot add hosts.' }
  if (ownRules === undefined) return { value: requested }
  if (requested === "all")
    return { value: own, warning: "tools.network stays a list: a project's file can remove hosts, not add them." }
  if (rules === undefined) return { value: requested }
  const added = rules.filter((rule) => !isCoveredByRules(rule, ownRules))
  const allow = rules.filter((rule) => !added.includes(rule))
  if (added.length === 0) return { value: { allow } }
  const warning = `tools.network.allow is without ${added.join(", ")}: a project's file can remove hosts, not add them.`
  return { value: { allow }, warning }
}

function rulesOf(setting: unknown): readonly string[] | undefined {
  return isObject(setting) && isTexts(setting["allow"]) ? setting["allow"] : undefined
}
