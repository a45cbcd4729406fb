// What tool processes see of our environment: everything but Turnhouse's own variables and those that hold a secret by
// the same rules as for redaction, or, with `tools.envOnly`, a small base set alone. What `tools.env` names always passes.
import type { Config } from "../../contract/config.ts"
import { isWithheld } from "../../secrets/counts-as-secret.ts"

const ours = /^TURNHOUSE_/
/** What programs need to find other programs, the user's files, the terminal and their language. */
const base = /^(HOME|LANG|LANGUAGE|LC_\w+|LOGNAME|PATH|PWD|SHELL|TERM|TMPDIR|TZ|USER)$/

export function toolEnvironment(env: NodeJS.ProcessEnv, config: Config): Readonly<Record<string, string>> {
  const passes = variableFilter(config)
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passes(name, value) ? [[name, value]] : [])),
  )
}

/** Whether tools see a variable, whether it comes from our environment or from the shell that opened the session. */
export function variableFilter({ tools }: Config): (name: string, value: string) => boolean {
  const named = new Set(tools?.env ?? [])
  if (tools?.envOnly === true) return (name) => named.has(name) || base.test(name)
  return (name, value) => named.has(name) || (!ours.test(name) && !isWithheld(name, value))
}
