// Commands that whoever comes in by the socket may not use, whatever the case of their letters.
import type { SlashAnswer } from "./command.ts"

/** Unless the configuration names others (`ipc.blockedCommands`). */
export const defaultBlocked: readonly string[] = [
  "exec",
  "shell",
  "profile:export",
  "profile:import",
  "approvals",
  "hibernate",
]

export function blockedAnswer(name: string, blocked: readonly string[]): SlashAnswer | undefined {
  const lower = name.toLowerCase()
  if (!blocked.some((other) => withoutSlash(other).toLowerCase() === lower)) return undefined
  return { kind: "failed", error: `Command '${name}' is blocked for remote execution`, blocked: true }
}

/** A person may write the slash that they type. */
export function withoutSlash(name: string): string {
  return name.startsWith("/") ? name.slice(1) : name
}
