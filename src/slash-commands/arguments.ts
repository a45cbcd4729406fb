// Strict parsing of a command's arguments. An argument that does not fit is answered with the usage.
import { limits } from "../contract/limits.ts"
import type { SlashAnswer, SlashCall } from "./command.ts"
import { failed } from "./steps.ts"

export function withoutSlash(name: string): string {
  return name.startsWith("/") ? name.slice(1) : name
}

/** All arguments as one text. */
export function textOf({ args }: Pick<SlashCall, "args">): string {
  return args.join(" ").trim()
}

export function usageError({ name, catalogue }: SlashCall): SlashAnswer {
  return failed(`Usage: ${usageLine(name, catalogue.byName.get(name)?.usage)}`)
}

export function usageLine(name: string, usage = ""): string {
  return `/${name} ${usage}`.trimEnd()
}

/** An integer from 1, with or without `#` before it. */
export function parseNumber(arg: string | undefined): number | undefined {
  if (arg === undefined || !/^#?[1-9]\d{0,8}$/.test(arg)) return undefined
  return Number(arg.replace("#", ""))
}

/** Names are shown in lists and in the session directory. */
export function lengthError(subject: string, text = ""): SlashAnswer | undefined {
  if (text.length <= limits.nameLength) return undefined
  return failed(`${subject} has ${text.length} characters; ${limits.nameLength} are allowed`)
}

export interface ParsedOptions {
  /** The arguments that belong to no option. */
  readonly positionals: readonly string[]
  /** The values of an option, in order; empty where a value is missing. */
  readonly values: (option: string) => readonly string[]
}

/** Takes `--option value` out of the arguments, wherever it stands among them. */
export function parseOptions(args: readonly string[], options: readonly string[]): ParsedOptions {
  const positionals: string[] = []
  const values = new Map<string, string[]>(options.map((option) => [option, []]))
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ""
    const found = values.get(arg)
    if (found === undefined) positionals.push(arg)
    else found.push(args[++index] ?? "")
  }
  return { positionals, values: (option) => values.get(option) ?? [] }
}
