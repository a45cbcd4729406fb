// `turnhouse knowledge search`: shows what an agent would find, with scores and sources.
import type { Passage } from "../../contract/values.ts"
import { usageFault, exitCodes } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { KnowledgeSources } from "../../app/settings/knowledge.ts"
import { loadContext } from "../../app/context.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { writeJson } from "../output.ts"
import { withReadableFaults } from "./explained.ts"
import { namesIn, rightsIn } from "./options.ts"

const usualLimit = 5
const mostPassages = 50
/** Characters of a name that are shown; file names may contain anything. */
const longestName = 200

export async function search(text: string, args: Args): Promise<number> {
  const files = { configFile: args.text("config"), profile: args.text("profile") }
  const { home, config, warnings } = await loadContext(files)
  for (const warning of warnings) printNotice(`turnhouse: ${warning}`)
  const question = { text, limit: limitIn(args), rights: rightsIn(args), sets: namesIn(args, "set") ?? [] }
  const knowledge = new KnowledgeSources(home)
  try {
    const passages = await withReadableFaults(() => knowledge.for(config).source.search(question))
    if (args.flag("json")) writeJson(passages)
    else process.stdout.write(passagesText(passages))
    return exitCodes.done
  } finally {
    await knowledge.close()
  }
}

function limitIn(args: Args): number {
  const text = args.text("limit") ?? String(usualLimit)
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > mostPassages)
    throw usageFault(`--limit: '${text}' is not a number from 1 to ${mostPassages}`)
  return limit
}

function passagesText(passages: readonly Passage[]): string {
  if (passages.length === 0) return "No passages found.\n"
  return passages.map(passageText).join("\n")
}

function passageText({ title, url, score, snippet }: Passage): string {
  const place = url === undefined || url === title ? "" : `  ${oneLine(url, longestName)}`
  const head = `${score.toFixed(2)}  ${oneLine(title, longestName)}${place}`
  const words = printable(snippet)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n      ")
  return `${styled("bold", head, process.stdout)}\n      ${words}\n`
}
