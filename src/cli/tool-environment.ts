// What tool processes may see of our environment: everything but Turnhouse's own variables and whatever gives access
// to a provider, unless the configuration names it.
import type { Config } from "../contract/config.ts"

const ours = /^TURNHOUSE_/
const keys = /(API_?KEY|ACCESS_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)/i
/** Not keys to anything, and missed by programs that need them. */
const harmless = new Set(["SSH_AUTH_SOCK", "XAUTHORITY"])

export function toolEnvironment(env: NodeJS.ProcessEnv, config: Config): Readonly<Record<string, string>> {
  const named = new Set(config.tools?.env ?? [])
  const seen = Object.entries(env).filter(([name]) => named.has(name) || !isHidden(name))
  return Object.fromEntries(seen.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function isHidden(name: string): boolean {
  return ours.test(name) || (keys.test(name) && !harmless.has(name))
}
