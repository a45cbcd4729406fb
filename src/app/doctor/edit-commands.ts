// Checks whether the commands that run after an edit exist: formatters and language servers. They are not started.
import type { Config } from "../../contract/config.ts"
import { findProgram } from "../../tools/start-command.ts"
import { type Check, type Finding, ok, warning } from "./finding.ts"

export function editCommandChecks({ tools = {} }: Config, env: NodeJS.ProcessEnv): readonly Check[] {
  const servers = Object.entries(tools.languageServers ?? {}).map(([name, { command }]) => [name, command] as const)
  const formatters = Object.entries(tools.format ?? {})
  return [
    { subject: "language servers", look: async () => findings("language servers", "languageServers", servers, env) },
    { subject: "formatters", look: async () => findings("formatters", "format", formatters, env) },
  ]
}

function findings(
  subject: string,
  key: string,
  commands: readonly (readonly [name: string, command: readonly string[]])[],
  env: NodeJS.ProcessEnv,
): readonly Finding[] {
  return commands.map(([name, [command = ""]]) => {
    const program = findProgram(command, env["PATH"])
    if (program !== undefined) return ok(subject, `${name}: ${program}`)
    return warning(subject, `${name}: ${command} was not found`, `install it, or remove it from tools.${key}`)
  })
}
