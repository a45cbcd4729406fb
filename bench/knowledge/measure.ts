// Search quality on third-party documents: the product beside SQLite FTS5 and minisearch, in one run.
//   node bench/knowledge/measure.ts                    all corpora, all questions
//   node bench/knowledge/measure.ts --half tune        the questions that were used while the search was tuned
//   node bench/knowledge/measure.ts --half held-out    the others
//   node bench/knowledge/measure.ts --missed git       also lists what was not found first, for these corpora
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { qualityOf, rankOf } from "../../src/knowledge/evaluation/metrics.ts"
import { corpora } from "./corpora.ts"
import { engines } from "./engines.ts"
import type { EngineReport } from "./measure-engine.ts"

type Answer = EngineReport["answers"][number]

const { values: options, positionals } = parseArgs({
  options: { half: { type: "string", default: "all" }, missed: { type: "boolean" } },
  allowPositionals: true,
})
const program = fileURLToPath(new URL("measure-engine.ts", import.meta.url))
const bestKinds = ["plain", "paraphrase", "identifier"]
const head = "                    n    R@1    R@5    MRR   nDCG   build  median    95 %  memory"
const all = new Map<string, Answer[]>()

for (const { name } of corpora) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  for (const engine of Object.keys(engines)) {
    const report = run(name, engine)
    const answers = halfOf(report.answers)
    all.set(engine, [...(all.get(engine) ?? []), ...answers])
    if (engine === "turnhouse")
      print(
        `\n${name}: ${report.documents} documents, ${report.passages} passages, ${answers.length} questions\n${head}`,
      )
    print(`${row(engine, answers)} ${cost(report)}`)
    if (options.missed === true && engine === "turnhouse") printMissed(answers)
  }
}
print(`\nall corpora\n${head}`)
for (const [engine, answers] of all) {
  print(row(engine, answers))
  for (const kind of bestKinds)
    print(
      row(
        `  ${kind}`,
        answers.filter((answer) => answer.kind === kind),
      ),
    )
}

function run(corpus: string, engine: string): EngineReport {
  const output = execFileSync(process.execPath, [program, corpus, engine], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(output)
}

/** Every other question, counted within its kind. */
function halfOf(answers: readonly Answer[]): readonly Answer[] {
  if (options.half === "all") return answers
  const counts = new Map<string, number>()
  return answers.filter(({ kind }) => {
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    return count % 2 === (options.half === "tune" ? 0 : 1)
  })
}

function row(name: string, answers: readonly Answer[]): string {
  const { questions, recallAt1, recallAt5, mrr, ndcg } = qualityOf(answers)
  const figures = [recallAt1, recallAt5, mrr, ndcg].map((figure) => figure.toFixed(3).padStart(7))
  return `${name.padEnd(16)}${String(questions).padStart(5)}${figures.join("")}`
}

function cost({ buildSeconds, medianMs, slowMs, megabytes }: EngineReport): string {
  return `${buildSeconds.toFixed(1).padStart(6)} s ${medianMs.toFixed(1).padStart(6)} ms ${slowMs.toFixed(1).padStart(6)} ms ${megabytes.toFixed(0).padStart(5)} MB`
}

function printMissed(answers: readonly Answer[]): void {
  for (const answer of answers)
    if (rankOf(answer) > 1)
      print(
        `    ${rankOf(answer)} ${answer.question}\n        ${answer.found.slice(0, 3).join(" ")} | ${answer.right[0]}`,
      )
}

function print(line: string): void {
  console.log(line)
}
