// Declaration of a command, from which help, completion and parsing are made. Its code is loaded when it runs, so that
// starting one command does not load the others.
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { usageFault, messageOf } from "../app/app-fault.ts"
import { nearestKey } from "../contract/text/nearest-key.ts"

export interface OptionSpec {
  readonly type: "string" | "boolean"
  readonly short?: string
  /** May be given several times; read with `texts`. */
  readonly multiple?: true
  /** Placeholder of the value in help: `--model M`. */
  readonly value?: string
  readonly help: string
}

export interface Command {
  readonly name: string
  /** One line without a full stop. */
  readonly summary: string
  /** Positional arguments as help shows them: `[PROMPT]`, `ID`. Absent: none. */
  readonly positionals?: string
  /** What a shell offers for the first argument: ids of pending approvals, or these words. Default: by `positionals`. */
  readonly completes?: "approvals" | readonly string[]
  readonly options?: Readonly<Record<string, OptionSpec>>
  readonly details?: string
  /** Changes sessions or permissions: refused when a tool of the same home starts it. */
  readonly acts?: true
  readonly load: () => Promise<{ run: (args: Args) => Promise<number> }>
}

/** An option without a value. */
export function flag(help: string, more: Pick<OptionSpec, "short"> = {}): OptionSpec {
  return { type: "boolean", help, ...more }
}

/** An option with a value, which help shows as `value`. */
export function text(value: string, help: string, more: Pick<OptionSpec, "short" | "multiple"> = {}): OptionSpec {
  return { type: "string", value, help, ...more }
}

export const helpOption = { help: flag("Show this help.", { short: "h" }) }

export class Args {
  readonly positionals: readonly string[]
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>, positionals: readonly string[]) {
    this.#values = values
    this.positionals = positionals
  }

  /** The first positional argument. `advice`: what to do if it is missing. */
  first(advice = "name a session; 'turnhouse ls' lists them"): string {
    const [first] = this.positionals
    if (first === undefined) throw usageFault(advice)
    return first
  }

  flag(name: string): boolean {
    return this.#values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === "string" ? value : undefined
  }

  /** Values of an option that may be given several times. */
  texts(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
  }

  /** A number of seconds such as `45`, or with a unit: `90s`, `10m`, `2h`, `7d`. */
  seconds(name: string): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const match = /^(\d+(?:\.\d+)?)(s|m|h|d)?$/.exec(value)
    if (match === null)
      throw usageFault(`--${name}: '${value}' is not a time. Use seconds or a unit: 45, 90s, 10m, 2h, 7d.`)
    return Number(match[1]) * unitSeconds(match[2])
  }
}

export function parseCommandLine(command: Command, argv: readonly string[]): Args {
  const options: ParseArgsOptionsConfig = {}
  const specs: Readonly<Record<string, OptionSpec>> = { ...command.options, ...helpOption }
  for (const [name, { type, short, multiple = false }] of Object.entries(specs)) {
    options[name] = short === undefined ? { type, multiple } : { type, short, multiple }
  }
  try {
    const args = withDashedValues(command, argv)
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
    const surplus = positionals[maxPositionals(command)]
    if (surplus !== undefined) throw new Error(`unexpected argument '${surplus}'`)
    return new Args(values, positionals)
  } catch (fault) {
    throw usageFault(`${explain(command, fault)}. 'turnhouse ${command.name} --help' lists the options.`)
  }
}

/**
 * A value may begin with a dash: `--key -abc` is read as `--key=-abc`. Two dashes always begin an option. What follows `--`
 * stays as it is.
 */
function withDashedValues({ options = {} }: Command, argv: readonly string[]): string[] {
  const args: string[] = []
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length
  for (const word of argv.slice(0, end)) {
    const option = args.at(-1)?.replace(/^--/, "") ?? ""
    const takesText = args.at(-1)?.startsWith("--") === true && options[option]?.type === "string"
    if (takesText && /^-(?:\d|[^-].)/.test(word)) args.push(`${args.pop() ?? ""}=${word}`)
    else args.push(word)
  }
  return [...args, ...argv.slice(end)]
}

/** By the help text: `ID [FILE]` are two, `ID...` and a prompt are any number. */
function maxPositionals({ positionals = "" }: Command): number {
  if (positionals.includes("...") || positionals.includes("PROMPT")) return Infinity
  return positionals.split(" ").filter((word) => word !== "" && word !== "|").length
}

function explain(command: Command, fault: unknown): string {
  const message = messageOf(fault)
  const unknown = /Unknown option '(--?[^']+)'/.exec(message)?.[1]
  if (unknown === undefined) return message.split(/\.\s/)[0] ?? message
  const known = nearestKey(unknown.replace(/^-+/, ""), Object.keys({ ...command.options, ...helpOption }))
  return `unknown option '${unknown}'${known?.close ? ` (did you mean --${known.key}?)` : ""}`
}

function unitSeconds(unit: string | undefined): number {
  switch (unit) {
    case "m":
      return 60
    case "h":
      return 3600
    case "d":
      return 86_400
    default:
      return 1
  }
}
