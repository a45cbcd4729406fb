// A command that somebody wrote as a markdown file: a head that names it and its arguments, and a body in which
// `{{argument}}` stands for what was typed. What was typed is put in as it is: nothing in it is read again.
import { readFrontMatter, type Entry } from "./front-matter.ts"
import { YamlFault } from "./yaml-scalar.ts"

export interface CommandFile {
  readonly name: string
  readonly description: string
  readonly args: readonly CommandArgument[]
  readonly body: string
}

export interface CommandArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

export type ReadCommandFile =
  | { readonly kind: "command"; readonly command: CommandFile }
  | { readonly kind: "unfit"; readonly name: string; readonly why: string }

export type FilledCommand =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string }

const mostArguments = 20
const longestName = 64

/** `stem` is the name of the file without its ending: the command's name unless the head has another. */
export function readCommandFile(stem: string, text: string): ReadCommandFile {
  try {
    return { kind: "command", command: commandIn(stem, text) }
  } catch (fault) {
    if (fault instanceof YamlFault) return { kind: "unfit", name: stem, why: fault.message }
    throw fault
  }
}

/** Words go to the arguments in order; those that are left over belong to the last one. */
export function fillCommand({ name, args, body }: CommandFile, words: readonly string[]): FilledCommand {
  if (args.length === 0 && words.length > 0) return { kind: "failed", why: `/${name} takes no arguments` }
  const last = args.length - 1
  const values = new Map(args.map((arg, index) => [arg.name, index < last ? words[index] : rest(words, last)]))
  const missing = args.find((arg) => arg.required && (values.get(arg.name) ?? "") === "")
  if (missing !== undefined) return { kind: "failed", why: `Missing required argument: ${missing.name}` }
  const fill = (whole: string, key: string) => (values.has(key) ? (values.get(key) ?? "") : whole)
  return { kind: "prompt", text: body.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, fill) }
}

export function usageOf({ args }: CommandFile): string {
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ")
}

function rest(words: readonly string[], from: number): string | undefined {
  return words.length > from ? words.slice(from).join(" ") : undefined
}

function commandIn(stem: string, text: string): CommandFile {
  const { texts, lists, body } = readFrontMatter(text, { texts: ["name", "description"], lists: ["args"] })
  const name = texts.get("name") ?? stem
  if (!/^[A-Za-z0-9][\w.:-]*$/.test(name) || name.length > longestName)
    throw new YamlFault(`'${name.slice(0, longestName)}' is no name that can be typed`)
  const args = (lists.get("args") ?? []).map(argumentOf)
  if (args.length > mostArguments) throw new YamlFault(`has more than ${mostArguments} arguments`)
  if (new Set(args.map((arg) => arg.name)).size < args.length) throw new YamlFault("has two arguments of one name")
  if (body.trim() === "") throw new YamlFault("has no text behind its head")
  return { name, description: texts.get("description") ?? "", args, body: body.trim() }
}

function argumentOf({ name = "", description = "", required = "false" }: Entry): CommandArgument {
  if (!/^[\w-]+$/.test(name)) throw new YamlFault(`has an argument '${name}', which is no name`)
  if (!/^(true|false)$/i.test(required)) throw new YamlFault(`says neither true nor false for 'required' of '${name}'`)
  return { name, description, required: required.toLowerCase() === "true" }
}
