// Checks that the steps of a workflow have distinct names and lead to existing steps, which a schema cannot express.
import type { Config } from "../contract/config.ts"
import type { Problem } from "./explain.ts"
import { dotted, type Path } from "./plain.ts"

export function workflowProblems({ agents = {} }: Config): readonly Problem[] {
  return Object.entries(agents).flatMap(([agentId, { workflow }]) => {
    const ids = workflow?.steps.map(({ id }) => id) ?? []
    return (workflow?.steps ?? []).flatMap(({ id, next }, index) => {
      const path = ["agents", agentId, "workflow", "steps", String(index)]
      const twice = ids.indexOf(id) === index ? [] : [wrong([...path, "id"], `duplicate step ${quoted(id)}`)]
      const leadsAstray = next !== undefined && !ids.includes(next)
      return leadsAstray ? [...twice, wrong([...path, "next"], `unknown step ${quoted(next)}`)] : twice
    })
  })
}

function wrong(path: Path, what: string): Problem {
  return { path, at: "value", what: `${dotted(path)}: ${what}`, missing: false }
}

function quoted(id: string): string {
  return JSON.stringify(id)
}

export function guardProblems({ extensions }: Config): readonly Problem[] {
  const { disabled = [], failClosed = [] } = extensions ?? {}
  return disabled.flatMap((id, index): Problem[] => {
    if (!failClosed.includes(id)) return []
    const path = ["extensions", "disabled", String(index)]
    const what = `extensions.disabled and extensions.failClosed both list ${JSON.stringify(id)}; remove it from one of them`
    return [{ path, at: "value", what, missing: false }]
  })
}
