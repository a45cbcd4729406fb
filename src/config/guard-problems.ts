// Checks that no guard is disabled, which a schema cannot express.
import type { Config } from "../contract/config.ts"
import type { Problem } from "./explain.ts"

export function guardProblems({ extensions }: Config): readonly Problem[] {
  const { disabled = [], failClosed = [] } = extensions ?? {}
  return disabled.flatMap((id, index): Problem[] => {
    if (!failClosed.includes(id)) return []
    const path = ["extensions", "disabled", String(index)]
    const what = `extensions.disabled and extensions.failClosed both list ${JSON.stringify(id)}; remove it from one of them`
    return [{ path, at: "value", what, missing: false }]
  })
}
