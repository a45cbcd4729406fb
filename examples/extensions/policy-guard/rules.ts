// Rules about shell commands, from the settings of the extension. An invalid rule is an error: skipping it would leave
// unguarded what the user believes to be guarded.
import { block, confirm, isObject, type ActionOf, type JsonValue } from "turnhouse/extension"

export interface Rule {
  readonly pattern: RegExp
  readonly verdict: "block" | "confirm"
  readonly reason: string
}

/** A setting from the config file is a string, one from the manifest is JSON. */
export function readRules(setting: JsonValue | undefined): readonly Rule[] {
  const list: JsonValue | undefined = typeof setting === "string" ? JSON.parse(setting) : setting
  if (!Array.isArray(list)) throw new Error("setting 'rules' must be a list")
  return list.map(readRule)
}

export function judge(rules: readonly Rule[], command: string): ActionOf<"before_tool_call"> | undefined {
  const rule = rules.find(({ pattern }) => pattern.test(command))
  if (rule === undefined) return undefined
  return rule.verdict === "block"
    ? block(`not allowed here: ${rule.reason}`)
    : confirm(`${rule.reason}; run it anyway?`)
}

function readRule(value: JsonValue, at: number): Rule {
  const { pattern, verdict, reason } = isObject(value) ? value : {}
  if (typeof pattern !== "string" || typeof reason !== "string" || (verdict !== "block" && verdict !== "confirm"))
    throw new Error(`rule ${at + 1} must have a pattern, a reason, and the verdict 'block' or 'confirm'`)
  return { pattern: new RegExp(pattern), verdict, reason }
}
