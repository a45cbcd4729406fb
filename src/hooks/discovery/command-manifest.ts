// Reads the commands of a plugin's manifest, from its top level or its extension. An invalid entry is skipped with a
// reason. Starts nothing.
import { isJsonObject, tryParseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { CommandAction } from "../commands/plugin-command.ts"

export interface NamedCommand {
  readonly name: string
  readonly description: string
  readonly usage: string | undefined
  readonly action: ManifestAction
}

/** The action of a PluginCommand before its environment is known. */
type ManifestAction =
  | Exclude<CommandAction, { kind: "program" }>
  | Omit<Extract<CommandAction, { kind: "program" }>, "env" | "needs">
type Entry = { readonly [member: string]: JsonValue | undefined }

export interface ReadCommands {
  readonly commands: readonly NamedCommand[]
  /** Reasons for skipped entries. */
  readonly problems: readonly string[]
}

const MAX_COMMANDS = 100
const MAX_TEXT_LENGTH = 300

export function readCommands(manifest: string): ReadCommands {
  const plugin = tryParseJson(manifest) ?? null
  if (!isJsonObject(plugin)) return { commands: [], problems: [] } // reported where the rest of the manifest is read
  const { extension = null } = plugin
  const places = [plugin["commands"], isJsonObject(extension) ? extension["commands"] : undefined]
  const listed = places.flatMap((place) => place ?? [])
  const read = listed.slice(0, MAX_COMMANDS).map((entry, at) => readEntry(entry, at, isJsonObject(extension)))
  const found = read.flatMap((one) => (typeof one === "object" ? [one] : []))
  const unique = found.filter(({ name }, at) => found.findIndex((other) => other.name === name) === at)
  const duplicates = found
    .filter((one) => !unique.includes(one))
    .map(({ name }) => `the command '${name}' is declared twice`)
  const tooMany = listed.length > MAX_COMMANDS ? [`only the first ${MAX_COMMANDS} commands are used`] : []
  const faults = read.flatMap((one) => (typeof one === "string" ? [one] : []))
  return { commands: unique, problems: [...faults, ...duplicates, ...tooMany] }
}

/** What is wrong with it; undefined for a disabled entry. */
function readEntry(entry: JsonValue, at: number, isExtension: boolean): NamedCommand | string | undefined {
  if (!isJsonObject(entry)) return `commands[${at}] is not an object`
  const { name, description, subcommands } = entry
  if (typeof name !== "string" || !/^[\w.-]{1,64}$/.test(name))
    return `the name of commands[${at}] must be 1 to 64 letters, digits, '_', '-' and '.'`
  const action = actionFor(entry)
  if (typeof action !== "object") return action === undefined ? undefined : `the command '${name}' ${action}`
  if (!isExtension && (action.kind === "invoke" || action.kind === "tool"))
    return `the command '${name}' needs an extension, but the plugin has none`
  const usage = entry["usage"] ?? (Array.isArray(subcommands) ? subcommands.filter(isText).join(" | ") : undefined)
  return { name, description: lineOf(description) ?? "", usage: lineOf(usage), action }
}

/** In this order: an ambiguous entry is the first of these. */
function actionFor(entry: Entry): ManifestAction | string | undefined {
  const { command, args = [], tool, input = {}, prompt, skill, interactive } = entry
  if (typeof command === "string") {
    if (command.trim() === "") return "names an empty program"
    if (command.startsWith("/") || command.split("/").includes(".."))
      return "must name a program in the plugin's folder or on the PATH"
    const strings = Array.isArray(args) ? args.filter(isText) : []
    if (!Array.isArray(args) || strings.length < args.length) return "has arguments that are not a list of strings"
    return { kind: "program", command, args: strings }
  }
  if (typeof tool === "string") return { kind: "tool", tool, input }
  if (typeof prompt === "string" || typeof skill === "string")
    return { kind: "prompt", prompt: isText(prompt) ? prompt : "", skill: isText(skill) ? skill : undefined }
  if (interactive === true) return { kind: "invoke" }
  return interactive === false ? undefined : "has none of: command, tool, prompt, interactive"
}

/** One line, shortened. */
function lineOf(text: JsonValue | undefined): string | undefined {
  if (typeof text !== "string" || text.trim() === "") return undefined
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string"
}
