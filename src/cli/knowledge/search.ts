// `turnhouse knowledge search`: what an agent would find, with scores and sources.
import type { Passage } from "../../contract/values.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { CliFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { exitCodes } from "../exit-codes.ts"
import { HouseKnowledge } from "../house-knowledge.ts"
import { surroundings } from "../surroundings.ts"
import { printable, say, styled } from "../terminal.ts"
import { writeJson } from "../write-json.ts"
import { namesIn, rightsIn } from "./options.ts"

const usualLimit = 5
const mostPassages = 50

export async function search(text: string, args: Args): Promise<number> {
  const files = { configFile: args.text("config"), profile: args.text("profile") }
  const { home, config, warnings } = await surroundings(files)
  for (const warning of warnings) say(`turnhouse: ${warning}`)
  const question = { text, limit: limitIn(args), rights: rightsIn(args), sets: namesIn(args, "set") ?? [] }
  const knowledge = new HouseKnowledge(home)
  try {
    const passages = await knowledge.for(config).source.search(question)
    if (args.flag("json")) writeJson(passages)
    else process.stdout.write(told(passages))
    return exitCodes.done
  } catch (fault) {
    if (fault instanceof ModelUnavailable) throw new CliFault(fault.message, exitCodes.failed)
    throw fault
  } finally {
    await knowledge.close()
  }
}

function limitIn(args: Args): number {
  const text = args.text("limit") ?? String(usualLimit)
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > mostPassages)
    throw usageFault(`--limit takes a number from 1 to ${mostPassages}, not '${text}'`)
  return limit
}

function told(passages: readonly Passage[]): string {
  if (passages.length === 0) return "Nothing was found.\n"
  return passages.map(passageText).join("\n")
}

function passageText({ title, url, score, snippet }: Passage): string {
  const head = `${score.toFixed(2)}  ${printable(title)}${url === undefined || url === title ? "" : `  ${printable(url)}`}`
  const words = printable(snippet).replaceAll(/\s*\n\s*/g, "\n      ")
  return `${styled("bold", head, process.stdout)}\n      ${words}\n`
}
