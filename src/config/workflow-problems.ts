// What no schema says of a workflow: that no two of its steps have the same name, and that a step leads to one that is
// there.
import type { Config } from "../contract/config.ts"
import type { Problem } from "./explain.ts"
import { dotted, type Path } from "./plain.ts"

export function workflowProblems({ agents = {} }: Config): readonly Problem[] {
  return Object.entries(agents).flatMap(([agentId, { workflow }]) => {
    const ids = workflow?.steps.map(({ id }) => id) ?? []
    return (workflow?.steps ?? []).flatMap(({ id, next }, index) => {
      const path = ["agents", agentId, "workflow", "steps", String(index)]
      const twice = ids.indexOf(id) === index ? [] : [wrong([...path, "id"], `there is a step ${quoted(id)} already`)]
      const leadsAstray = next !== undefined && !ids.includes(next)
      return leadsAstray ? [...twice, wrong([...path, "next"], `there is no step ${quoted(next)}`)] : twice
    })
  })
}

function wrong(path: Path, what: string): Problem {
  return { path, at: "value", what: `${dotted(path)}: ${what}`, missing: false }
}

function quoted(id: string): string {
  return JSON.stringify(id)
}
