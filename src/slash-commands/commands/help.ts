// What can be typed: made from the table, with what the folder, the user and extensions bring.
import type { JsonValue } from "../../contract/values.ts"
import { objectsOf, textOf } from "../query-answers.ts"
import { typed, wrongUsage } from "../arguments.ts"
import { withoutSlash } from "../blocked.ts"
import { done, failed, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const helpCommands: SlashGroup = {
  title: "Help",
  commands: [
    { name: "help", usage: "[command]", help: "shows this, or what one command does", run: help },
    { name: "commands", usage: "", help: "lists commands of the folder, the user and extensions", run: commands },
  ],
}

function help(call: SlashCall): SlashStep {
  const [wanted, ...more] = call.args
  if (more.length > 0) return wrongUsage(call)
  if (wanted !== undefined) return helpOn(call, withoutSlash(wanted))
  return ask(call, (brought) => {
    const groups = [...shownGroups(call).map(linesOf), ...(brought.length === 0 ? [] : [broughtLines(brought)])]
    return done("help_displayed", groups.join("\n\n"))
  })
}

function shownGroups({ catalogue, options: { ownWords = [] } }: SlashCall): readonly SlashGroup[] {
  return catalogue.groups.map(({ title, commands: all }) => ({
    title,
    commands: all.filter(({ name }) => !ownWords.includes(name)),
  }))
}

function commands(call: SlashCall): SlashStep {
  return ask(call, (brought) => {
    const none = "No commands of the folder, the user or extensions. Files in .turnhouse/commands would be some."
    return done("help_displayed", brought.length === 0 ? none : broughtLines(brought))
  })
}

function helpOn(call: SlashCall, name: string): SlashStep {
  const known = call.catalogue.byName.get(name)
  if (known?.help === "") return known.run({ ...call, name, args: [] }) // it says why it cannot be used
  if (known !== undefined) return done("help_displayed", `${typed(name, known.usage)}\n${known.help}`)
  return ask(call, (brought) => {
    const found = brought.find((command) => command.name === name)
    return found === undefined ? failed(`Unknown command: /${name}`) : done("help_displayed", broughtLines([found]))
  })
}

interface Brought {
  readonly name: string
  readonly usage: string
  readonly description: string
  readonly source: string
}

/** A session that has nobody to say what there is has nothing. */
function ask(call: SlashCall, then: (brought: readonly Brought[]) => SlashStep): SlashStep {
  const query = { type: "commands", sessionId: call.view.sessionId } as const
  return { kind: "ask", query, next: (value) => then(broughtOf(value)) }
}

function broughtOf(value: JsonValue): readonly Brought[] {
  return objectsOf(value).flatMap((command) => {
    const name = textOf(command, "name")
    if (name === undefined) return []
    const [description = "", source = ""] = [textOf(command, "description"), textOf(command, "source")]
    return [{ name, usage: textOf(command, "usage") ?? "", description, source }]
  })
}

function broughtLines(brought: readonly Brought[]): string {
  const bySource = Map.groupBy(brought, ({ source }) => source)
  const groups = [...bySource].map(([source, its]) =>
    linesOf({
      title: titleOf(source),
      commands: its.map(({ description, ...command }) => ({ ...command, help: description })),
    }),
  )
  return groups.join("\n\n")
}

function titleOf(source: string): string {
  if (source === "user") return "Your own"
  return source === "folder" ? "Of this folder" : `Of the extension ${source}`
}

const column = 30

interface Listed {
  readonly title: string
  readonly commands: readonly { readonly name: string; readonly usage: string; readonly help: string }[]
}

function linesOf({ title, commands: listed }: Listed): string {
  return [`${title}:`, ...listed.map(({ name, usage, help: text }) => line(typed(name, usage), text))].join("\n")
}

function line(command: string, text: string): string {
  if (command.length < column - 1) return `  ${command.padEnd(column)}${text}`.trimEnd()
  return `  ${command}\n  ${" ".repeat(column)}${text}`.trimEnd()
}
