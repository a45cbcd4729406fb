// `turnhouse import claude`: brings permission rules and hooks of Claude Code over.
import { homedir } from "node:os"
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { importClaude, type ImportedFile } from "../../../app/import/import-claude.ts"
import { loadContext } from "../../../app/context.ts"
import { printNotice } from "../../../app/terminal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

const width = 200

export async function run(args: Args): Promise<number> {
  const [source] = args.positionals
  if (source !== "claude")
    throw usageFault(
      `${source === undefined ? "name a program" : `unknown program '${source}'`}: turnhouse import claude`,
    )
  const { home, cwd } = await loadContext()
  const isTrial = args.flag("dry-run")
  const takesProjectAllow = args.flag("project-allow")
  const files = await importClaude({ home, cwd, userFolder: homedir(), takesProjectAllow, isTrial })
  if (files.length === 0)
    throw new AppFault("no settings of Claude Code found: neither ~/.claude/settings.json nor .claude/ in this folder")
  if (args.flag("json")) writeJson(files)
  else process.stdout.write(files.map(describeFile).join("\n"))
  if (!isTrial && files.some(({ to, isChanged }) => isChanged && to.endsWith("turnhouse.json")))
    printNotice("turnhouse: turnhouse.json is used after 'turnhouse trust'")
  return exitCodes.done
}

function describeFile({ from, to, settings, isChanged }: ImportedFile): string {
  const { allow, confirm, deny, hooks, skipped } = settings
  const hookCounts = Object.entries(hooks).map(([name, entries]) => `${name} (${entries.length})`)
  const lines = Object.entries({ allow, confirm, deny, hooks: hookCounts })
    .filter(([, items]) => items.length > 0)
    .map(([key, items]) => `  ${key.padEnd(8)} ${items.map((item) => oneLine(item, width)).join(", ")}`)
  const left = skipped.map((reason) => `  skipped  ${oneLine(reason, width)}`)
  const state = isChanged ? "" : "  (nothing new)"
  return `${[`${from} → ${to}${state}`, ...lines, ...left].join("\n")}\n`
}
