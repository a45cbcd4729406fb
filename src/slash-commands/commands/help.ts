// The help: the table of commands, and the commands that the folder, the user and extensions add.
import { usageLine, withoutSlash } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, failed, query } from "../steps.ts"

export const helpCommands: SlashGroup = {
  title: "Help",
  commands: [
    { name: "help", usage: "[command]", help: "show this help, or the help of one command", maxArgs: 1, run: showHelp },
    { name: "commands", help: "list commands of the folder, the user and extensions", run: listCustom },
  ],
}

function showHelp(call: SlashCall): SlashStep {
  const [topic] = call.args
  if (topic !== undefined) return helpOn(call, withoutSlash(topic))
  const { catalogue, options } = call
  const hidden = options.clientCommands ?? []
  return queryCustom(call, (custom) => {
    const groups = catalogue.groups.map(({ title, commands }) =>
      groupText({ title, commands: commands.filter(({ name }) => !hidden.includes(name)) }),
    )
    return done("help_displayed", [...groups, ...customText(custom)].join("\n\n"))
  })
}

function listCustom(call: SlashCall): SlashStep {
  return queryCustom(call, (custom) => {
    const none = "The folder, the user and extensions have no commands. Add one as a file in .turnhouse/commands."
    return done("help_displayed", custom.length === 0 ? none : customText(custom).join("\n\n"))
  })
}

function helpOn(call: SlashCall, name: string): SlashStep {
  const known = call.catalogue.byName.get(name)
  if (known?.help === "") return known.run({ ...call, name, args: [] }) // says why it cannot be used
  if (known !== undefined) return done("help_displayed", `${usageLine(name, known.usage)}\n${known.help}`)
  return queryCustom(call, (custom) => {
    const found = custom.filter((command) => command.name === name)
    return found.length === 0 ? failed(`Unknown command: /${name}`) : done("help_displayed", customText(found).join())
  })
}

type Listed = Pick<SlashGroup["commands"][number], "name" | "usage" | "help">

interface CustomCommand extends Listed {
  readonly source: string
}

function queryCustom(call: SlashCall, next: (custom: readonly CustomCommand[]) => SlashStep): SlashStep {
  return query({ type: "commands", sessionId: call.view.sessionId }, (commands) =>
    next(commands.map(({ name, usage, description: help, source }) => ({ name, usage, help, source }))),
  )
}

function customText(custom: readonly CustomCommand[]): readonly string[] {
  const bySource = Map.groupBy(custom, ({ source }) => source)
  return [...bySource].map(([source, commands]) => groupText({ title: sourceTitle(source), commands }))
}

const sourceTitles: ReadonlyMap<string, string> = new Map([
  ["user", "User commands"],
  ["folder", "Folder commands"],
  ["project", "Skills of the folder"],
  ["skills", "Skills"],
])

function sourceTitle(source: string): string {
  if (source.startsWith("MCP server ")) return source
  if (source.startsWith("plugin ")) return `P${source.slice(1)}`
  return sourceTitles.get(source) ?? `Extension ${source}`
}

const HELP_COLUMN = 30

function groupText({ title, commands }: { readonly title: string; readonly commands: readonly Listed[] }): string {
  const lines = commands.map(({ name, usage, help }) => {
    const command = usageLine(name, usage)
    if (command.length < HELP_COLUMN - 1) return `  ${command.padEnd(HELP_COLUMN)}${help}`.trimEnd()
    return `  ${command}\n  ${" ".repeat(HELP_COLUMN)}${help}`.trimEnd()
  })
  return [`${title}:`, ...lines].join("\n")
}
