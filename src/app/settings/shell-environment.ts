// Environment variables of the client's shell that the tools of its session need; the host has its own.
import type { ShellEnvironment } from "../../contract/session-options.ts"

const names = ["PATH", "VIRTUAL_ENV", "LANG", "SSH_AUTH_SOCK"] as const

export function shellEnvironment(env: NodeJS.ProcessEnv): ShellEnvironment {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
