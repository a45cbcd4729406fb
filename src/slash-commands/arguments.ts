// The words behind a command's name, read strictly: what does not fit is told with the usage, and nothing is guessed.
import { limits } from "../contract/limits.ts"
import { failed, type SlashAnswer, type SlashCall } from "./command.ts"

/** All words as one text, as they came. */
export function wordsOf({ args }: Pick<SlashCall, "args">): string {
  return args.join(" ").trim()
}

export function wrongUsage({ name, catalogue }: SlashCall): SlashAnswer {
  const usage = catalogue.byName.get(name)?.usage ?? ""
  return failed(`Usage: ${typed(name, usage)}`)
}

export function typed(name: string, usage: string): string {
  return `/${name} ${usage}`.trimEnd()
}

/** A whole number from 1; anything else is nothing. */
export function numberOf(word: string | undefined): number | undefined {
  if (word === undefined || !/^#?[1-9]\d{0,8}$/.test(word)) return undefined
  return Number(word.replace("#", ""))
}

/** Names stand in lists and in the directory. */
export function tooLong(what: string, text: string): SlashAnswer | undefined {
  if (text.length <= limits.nameLength) return undefined
  return failed(`${what} has ${text.length} characters; ${limits.nameLength} are allowed`)
}
