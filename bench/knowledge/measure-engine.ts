// One engine on one corpus, in a process of its own so that its memory can be read. Started by measure.ts.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { percentile, type Judged } from "../../src/knowledge/evaluation/metrics.ts"
import { readQuestions } from "../../src/knowledge/evaluation/questions.ts"
import { documentsOf } from "./corpus-text.ts"
import { engines } from "./engines.ts"

export interface EngineReport {
  readonly documents: number
  readonly passages: number
  readonly buildSeconds: number
  readonly medianMs: number
  readonly slowMs: number
  /** Growth of the process while building and searching. */
  readonly megabytes: number
  readonly answers: readonly (Judged & { readonly question: string; readonly kind: string })[]
}

const [corpus = "", engineName = ""] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), "turnhouse-measure-"))
try {
  process.stdout.write(JSON.stringify(await measure()))
} finally {
  rmSync(folder, { recursive: true })
}

async function measure(): Promise<EngineReport> {
  const build = engines[engineName]
  if (build === undefined) throw new Error(`no engine '${engineName}'`)
  const questions = readQuestions(readFileSync(new URL(`questions/${corpus}.jsonl`, import.meta.url), "utf8"))
  const documents = await documentsOf({ name: corpus })
  const before = process.memoryUsage.rss()
  const start = performance.now()
  const ask = await build(documents, folder)
  const buildSeconds = (performance.now() - start) / 1000
  for (const { question } of questions.slice(0, 5)) ask(question)
  const times: number[] = []
  const answers = questions.map(({ question, documents: right, kind = "plain" }) => {
    const asked = performance.now()
    const found = [...new Set(ask(question))]
    times.push(performance.now() - asked)
    return { question, kind, right, found }
  })
  return {
    documents: documents.length,
    passages: documents.reduce((sum, { chunks }) => sum + chunks.length, 0),
    buildSeconds,
    medianMs: percentile(times, 0.5),
    slowMs: percentile(times, 0.95),
    megabytes: Math.max(0, process.memoryUsage.rss() - before) / 1_000_000,
    answers,
  }
}
