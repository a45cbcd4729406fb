// The names of the built-in tools, and the names by which other agents' users and extensions know them.
export const coreTools = ["bash", "read", "write", "edit", "grep", "find", "ls"] as const
export type CoreTool = (typeof coreTools)[number]

/** What they lead to is judged in the agents' own sessions. */
export const agentTools = [
  "subagent",
  "subagent_start",
  "subagent_status",
  "subagent_steer",
  "subagent_collect",
] as const

export function isAgentTool(name: string): boolean {
  return agentTools.some((tool) => tool === name)
}

const aliases = new Map<string, CoreTool>([
  ["read_file", "read"],
  ["write_file", "write"],
  ["edit_file", "edit"],
  ["list_directory", "ls"],
  ["search_code", "grep"],
  ["execute_command", "bash"],
  ["Read", "read"],
  ["Write", "write"],
  ["Edit", "edit"],
  ["Bash", "bash"],
  ["Grep", "grep"],
  ["Glob", "find"],
  ["LS", "ls"],
])

/** Our name for a tool; a name that is not an alias is its own. */
export function canonicalToolName(name: string): string {
  return aliases.get(name) ?? name
}
