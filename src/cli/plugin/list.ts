// `turnhouse plugin ls` and `plugin rm`.
import { exitCodes } from "../../app/app-fault.ts"
import { loadContextLeniently } from "../../app/context.ts"
import { removePlugin } from "../../app/plugins/install.ts"
import { listPlugins, type ListedPlugin } from "../../app/plugins/list.ts"
import { withStaging } from "../../app/plugins/staging.ts"
import { printNotice } from "../../app/terminal.ts"
import type { Args } from "../command.ts"
import { printResult, table, type Columns } from "../output.ts"
import { counted } from "../../display/format.ts"
import { shown } from "./describe.ts"

const columns: Columns<ListedPlugin> = {
  NAME: ({ name }) => shown(name),
  VERSION: ({ version }) => shown(version ?? "-"),
  STATE: ({ state }) => state,
  BRINGS: (plugin) => brought(plugin),
  FROM: ({ source, folder }) => shown(source ?? folder ?? "-"),
}

/** Exit code 1 if a plugin is not used because it changed or is gone. */
export async function list(args: Args): Promise<number> {
  const { plugins, warnings } = await listPlugins(await loadContextLeniently())
  const none = "No plugins. 'turnhouse plugin add PATH' or 'plugin add GIT_URL' installs one.\n"
  printResult(args, plugins, () => (plugins.length === 0 ? none : table(plugins, columns)))
  const missing = plugins.filter(({ state }) => state === "missing")
  const gone = missing.map(({ name }) => `plugin ${name} has no files. Run 'turnhouse plugin update ${name}'.`)
  const problems = plugins.flatMap(({ name, problems: all }) => all.map((problem) => `plugin ${name}: ${problem}`))
  for (const warning of [...warnings, ...gone, ...problems]) printNotice(`turnhouse: ${shown(warning)}`)
  return warnings.length + gone.length === 0 ? exitCodes.done : exitCodes.failed
}

function brought({ skills, commands, agents, mcpServers, hooks, extension }: ListedPlugin): string {
  const counts = [
    [skills.length, "skill"],
    [commands.length, "command"],
    [agents.length, "agent"],
    [mcpServers.length, "MCP server"],
    [hooks.length, "hook"],
  ] as const
  const parts = counts.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun))
  return [...parts, ...(extension === null ? [] : ["extension"])].join(", ") || "-"
}

export async function remove(name: string): Promise<number> {
  const { home } = await loadContextLeniently()
  await withStaging(home, (staging) => removePlugin(home, name, staging))
  process.stdout.write(`removed ${name}\n`)
  return exitCodes.done
}
