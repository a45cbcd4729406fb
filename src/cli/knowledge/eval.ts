// `turnhouse knowledge eval`: how well the search finds the right documents for the user's own questions.
import { exitCodes } from "../../app/app-fault.ts"
import { evaluateSearch, type Evaluation } from "../../app/knowledge/evaluate.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { table, writeJson, type Columns } from "../output.ts"
import { namesIn, orgIn } from "./options.ts"

const MAX_NAME_LENGTH = 80

export async function evaluate(file: string, args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const rights = { org: orgIn(args), groups: namesIn(args, "audience") ?? ("all" as const) }
  const evaluation = await evaluateSearch(context, { file, rights, sets: namesIn(args, "set") ?? [] })
  if (args.flag("json")) writeJson(evaluation)
  else process.stdout.write(evaluationText(evaluation))
  return exitCodes.done
}

type Row = readonly [string, Evaluation["all"]]

const shownColumns: Columns<Row> = {
  QUESTIONS: ([kind]) => oneLine(kind, MAX_NAME_LENGTH),
  COUNT: ([, { questions }]) => String(questions),
  "R@1": ([, { recallAt1 }]) => recallAt1.toFixed(3),
  "R@5": ([, { recallAt5 }]) => recallAt5.toFixed(3),
  MRR: ([, { mrr }]) => mrr.toFixed(3),
  NDCG: ([, { ndcg }]) => ndcg.toFixed(3),
}

function evaluationText({ all, kinds, medianMs, slowMs, missed }: Evaluation): string {
  const rows: readonly Row[] = [["all", all], ...Object.entries(kinds)]
  const times = `A search takes ${medianMs.toFixed(1)} ms (median; 95 %: ${slowMs.toFixed(1)} ms).\n`
  const list = missed.map(missedText).join("")
  return `${table(rows, shownColumns)}${times}${list === "" ? "" : `\nNot found first:\n${list}`}`
}

function missedText({ question, rank, documents, found }: Evaluation["missed"][number]): string {
  const place = rank === undefined ? "not among the first ten" : `rank ${rank}`
  const first = found.map((name) => oneLine(name, MAX_NAME_LENGTH)).join(", ") || "nothing"
  return `  ${oneLine(question, 120)}: ${place}; expected ${oneLine(documents.join(" or "), 160)}, found ${first}\n`
}
