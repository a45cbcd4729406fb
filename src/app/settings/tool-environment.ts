// Environment of tool processes: all variables except Turnhouse's own and secrets, or with `tools.envOnly` a small base
// set. Variables in `tools.env` always pass.
import type { Config } from "../../contract/config.ts"
import { isWithheld } from "../../secrets/counts-as-secret.ts"

const ours = /^TURNHOUSE_/
/** Search path, the user's files, terminal and language. */
const base = /^(HOME|LANG|LANGUAGE|LC_\w+|LOGNAME|PATH|PWD|SHELL|TERM|TMPDIR|TZ|USER)$/

export function toolEnvironment(env: NodeJS.ProcessEnv, config: Config): Readonly<Record<string, string>> {
  const passes = variableFilter(config)
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passes(name, value) ? [[name, value]] : [])),
  )
}

/** For variables of this process and of the client's shell. */
export function variableFilter({ tools }: Config): (name: string, value: string) => boolean {
  const named = new Set(tools?.env ?? [])
  if (tools?.envOnly === true) return (name) => named.has(name) || base.test(name)
  return (name, value) => named.has(name) || (!ours.test(name) && !isWithheld(name, value))
}
