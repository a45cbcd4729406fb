// Rules about shell commands, from the extension's settings. A rule that cannot be read is a fault: a guard that left
// it out would guard less than its owner believes.
import { block, confirm, isObject, type ActionOf, type JsonValue } from "turnhouse/extension"

export interface Rule {
  readonly pattern: RegExp
  readonly verdict: "block" | "confirm"
  readonly reason: string
}

/** A setting that does not come from the manifest is text. */
export function readRules(setting: JsonValue | undefined): readonly Rule[] {
  const list: JsonValue | undefined = typeof setting === "string" ? JSON.parse(setting) : setting
  if (!Array.isArray(list)) throw new Error("the setting 'rules' is not a list")
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
    throw new Error(`rule ${at + 1} needs a pattern, a reason, and 'block' or 'confirm' as its verdict`)
  return { pattern: new RegExp(pattern), verdict, reason }
}
