// A slash command defined by a markdown file: front matter with its name and arguments, and a body in which
// `{{argument}}` is replaced by what the user typed. Typed text is inserted as it is and not expanded again.
import { FrontMatterError, readFrontMatter, type Entry } from "./front-matter.ts"

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

const MAX_ARGUMENTS = 20
const MAX_NAME_LENGTH = 64

/** `stem` is the file name without its extension: the command's name unless the front matter has another. */
export async function readCommandFile(stem: string, text: string): Promise<ReadCommandFile> {
  try {
    return { kind: "command", command: await parseCommand(stem, text) }
  } catch (error) {
    if (error instanceof FrontMatterError) return { kind: "unfit", name: stem, why: error.message }
    throw error
  }
}

/** Typed words go to the arguments in order; the last argument gets the rest. */
export function fillCommand({ name, args, body }: CommandFile, typedArgs: readonly string[]): FilledCommand {
  if (args.length === 0 && typedArgs.length > 0) return { kind: "failed", why: `/${name} takes no arguments` }
  const last = args.length - 1
  const values = new Map(args.map((arg, index) => [arg.name, index < last ? typedArgs[index] : rest(typedArgs, last)]))
  const missing = args.find((arg) => arg.required && (values.get(arg.name) ?? "") === "")
  if (missing !== undefined) return { kind: "failed", why: `Missing required argument: ${missing.name}` }
  const fill = (whole: string, key: string) => (values.has(key) ? (values.get(key) ?? "") : whole)
  return { kind: "prompt", text: body.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, fill) }
}

export function usageOf({ args }: CommandFile): string {
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ")
}

function rest(typedArgs: readonly string[], from: number): string | undefined {
  return typedArgs.length > from ? typedArgs.slice(from).join(" ") : undefined
}

async function parseCommand(stem: string, text: string): Promise<CommandFile> {
  const { texts, lists, body } = await readFrontMatter(text, { texts: ["name", "description"], lists: ["args"] })
  const name = texts.get("name") ?? stem
  if (!/^[A-Za-z0-9][\w.:-]*$/.test(name) || name.length > MAX_NAME_LENGTH)
    throw new FrontMatterError(
      `invalid command name '${name.slice(0, MAX_NAME_LENGTH)}'. Use letters, digits, '_', '.', ':' and '-'.`,
    )
  const args = (lists.get("args") ?? []).map(argumentOf)
  if (args.length > MAX_ARGUMENTS) throw new FrontMatterError(`more than ${MAX_ARGUMENTS} arguments`)
  if (new Set(args.map((arg) => arg.name)).size < args.length)
    throw new FrontMatterError("two arguments have the same name")
  if (body.trim() === "") throw new FrontMatterError("no text after the front matter")
  return { name, description: texts.get("description") ?? "", args, body: body.trim() }
}

function argumentOf({ name = "", description = "", required = "false" }: Entry): CommandArgument {
  if (!/^[\w-]+$/.test(name))
    throw new FrontMatterError(`invalid argument name '${name}'. Use letters, digits, '_' and '-'.`)
  if (!/^(true|false)$/i.test(required))
    throw new FrontMatterError(`'required' of argument '${name}' is neither true nor false`)
  return { name, description, required: required.toLowerCase() === "true" }
}
