// What the tools of a session need of the shell of whoever opened it. The host that runs them has another one.
import type { ShellEnvironment } from "../../contract/session-options.ts"

const names = ["PATH", "VIRTUAL_ENV", "LANG", "SSH_AUTH_SOCK"] as const

export function shellEnvironment(env: NodeJS.ProcessEnv): ShellEnvironment {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
