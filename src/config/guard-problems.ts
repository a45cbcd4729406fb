// What no schema says of guards: one that is disabled would guard nothing, or block everything.
import type { Config } from "../contract/config.ts"
import type { Problem } from "./explain.ts"

export function guardProblems({ extensions }: Config): readonly Problem[] {
  const { disabled = [], failClosed = [] } = extensions ?? {}
  return disabled.flatMap((id, index): Problem[] => {
    if (!failClosed.includes(id)) return []
    const path = ["extensions", "disabled", String(index)]
    const what = `extensions.disabled names ${JSON.stringify(id)}, which extensions.failClosed makes a guard; remove it from one of the two`
    return [{ path, at: "value", what, missing: false }]
  })
}
