// The parts of a rule about tool calls: `TOOL` or `TOOL(ARGUMENT)`.

export interface ToolRule {
  /** A glob. */
  readonly name: string
  readonly argument: string | undefined
}

export function parseToolRule(rule: string): ToolRule {
  const open = rule.indexOf("(")
  if (open <= 0 || !rule.endsWith(")")) return { name: rule, argument: undefined }
  return { name: rule.slice(0, open), argument: rule.slice(open + 1, -1) }
}

/** What is wrong with a rule; undefined if it is valid. */
export function toolRuleProblem(rule: string): string | undefined {
  if (!/[()]/.test(rule)) return undefined
  const { name, argument } = parseToolRule(rule)
  if (argument === undefined || /[()]/.test(name)) return "must be TOOL or TOOL(ARGUMENT)"
  return argument === "" ? "has an empty argument; leave out the parentheses for every call of the tool" : undefined
}
