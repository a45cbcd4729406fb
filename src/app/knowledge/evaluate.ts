// Measures the search in the documents of a home with questions of which the user knows the right documents.
import { readFile } from "node:fs/promises"
import { describeError } from "../../config/faults.ts"
import { DEPTH, percentile, qualityOf, rankOf, type Quality } from "../../knowledge/evaluation/metrics.ts"
import { QuestionsFault, readQuestions, type JudgedQuestion } from "../../knowledge/evaluation/questions.ts"
import type { Rights } from "../../knowledge/rights.ts"
import { usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { KnowledgeSources } from "../settings/knowledge.ts"
import { listedDocuments, withReadableFaults } from "./documents.ts"

export interface EvaluateRequest {
  readonly file: string
  readonly rights: Rights
  readonly sets: readonly string[]
}

export interface Evaluation {
  readonly all: Quality
  /** For each label in the file. */
  readonly kinds: Readonly<Record<string, Quality>>
  readonly medianMs: number
  readonly slowMs: number
  /** What was not found first. `rank` is absent if it is not among the first ten. */
  readonly missed: readonly {
    readonly question: string
    readonly rank?: number
    readonly documents: readonly string[]
    readonly found: readonly string[]
  }[]
}

/** Enough passages to name ten documents. */
const PASSAGES = 50
const SHOWN = 3

export async function evaluateSearch(context: AppContext, request: EvaluateRequest): Promise<Evaluation> {
  const questions = await questionsIn(request.file)
  await refuseUnknown(context, request, questions)
  const knowledge = new KnowledgeSources(context.home)
  try {
    return await withReadableFaults(() => ask(knowledge.for(context.config).source, request, questions))
  } finally {
    await knowledge.close()
  }
}

async function questionsIn(file: string): Promise<readonly JudgedQuestion[]> {
  try {
    return readQuestions(await readFile(file, "utf8"))
  } catch (fault) {
    const reason = fault instanceof QuestionsFault ? fault.message : describeError(fault)
    throw usageFault(`${file} cannot be used: ${reason}`)
  }
}

/** A misspelled document would count as one that the search does not find. */
async function refuseUnknown(
  context: AppContext,
  { rights, file }: EvaluateRequest,
  questions: readonly JudgedQuestion[],
): Promise<void> {
  const known = new Set((await listedDocuments(context, rights.org, undefined)).map(({ name }) => name))
  for (const { question, documents } of questions) {
    const unknown = documents.find((name) => !known.has(name))
    if (unknown !== undefined)
      throw usageFault(
        `${file}: no document '${unknown}' in ${rights.org} (question '${question.slice(0, 80)}'). 'turnhouse knowledge ls' lists them.`,
      )
  }
}

async function ask(
  source: ReturnType<KnowledgeSources["for"]>["source"],
  { rights, sets }: EvaluateRequest,
  questions: readonly JudgedQuestion[],
): Promise<Evaluation> {
  await source.search({ text: questions[0]?.question ?? "", limit: 1, rights, sets }) // starts the search thread
  const times: number[] = []
  const judged = []
  for (const { question, documents: right, kind } of questions) {
    const start = performance.now()
    const passages = await source.search({ text: question, limit: PASSAGES, rights, sets })
    times.push(performance.now() - start)
    judged.push({ question, kind, right, found: [...new Set(passages.map(({ id }) => id))].slice(0, DEPTH) })
  }
  const byKind = Map.groupBy(
    judged.filter(({ kind }) => kind !== undefined),
    ({ kind = "" }) => kind,
  )
  return {
    all: qualityOf(judged),
    kinds: Object.fromEntries([...byKind].map(([kind, some]) => [kind, qualityOf(some)])),
    medianMs: percentile(times, 0.5),
    slowMs: percentile(times, 0.95),
    missed: judged
      .filter((one) => rankOf(one) > 1)
      .map((one) => ({
        question: one.question,
        ...(rankOf(one) === Infinity ? {} : { rank: rankOf(one) }),
        documents: one.right,
        found: one.found.slice(0, SHOWN),
      })),
  }
}
