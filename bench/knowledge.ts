// Documents: indexing rate, search time, and memory of both. Words of the text have a realistic frequency distribution;
// vectors are random, the worst case for nearest neighbours. The time that a provider takes for a question is additional.
//   node bench/knowledge.ts            10,000 and 100,000 passages
//   node bench/knowledge.ts --large    also indexes one gigabyte of text
import { createWriteStream, mkdirSync } from "node:fs"
import { join } from "node:path"
import { finished } from "node:stream/promises"
import { Extractor } from "../src/knowledge/extract/extractor.ts"
import { embedMissing } from "../src/knowledge/index/embed-missing.ts"
import { IndexWriter } from "../src/knowledge/index/writer.ts"
import { addDocuments } from "../src/knowledge/ingest/add-documents.ts"
import { findSources } from "../src/knowledge/ingest/find-sources.ts"
import type { Rights } from "../src/knowledge/rights.ts"
import { SearchClient } from "../src/knowledge/search/search-client.ts"
import { runAll } from "./run-all.ts"

const megabyte = 1_000_000
const dimensions = 512
const rights: Rights = { org: "local", groups: [] }
const randomly = { name: "bench/random", embed: async (texts: readonly string[]) => texts.map(randomVector) }

let seed = 42
const vocabulary = Array.from({ length: 30_000 }, (_, at) => wordOf(at))

const large = process.argv.includes("--large")
await runAll([...(large ? [gigabyte] : []), search(10_000, 10), search(100_000, 60)])

function search(passages: number, boundMs: number) {
  return async (folder: string): Promise<boolean> => {
    const path = join(folder, `${passages}.db`)
    const rate = await indexed(folder, path, passages * 700, `p${passages}`)
    const client = new SearchClient({ path, embedder: randomly })
    await client.search({ text: "warm up", limit: 5, rights, sets: [] })
    const times: number[] = []
    for (let round = 0; round < 60; round++) {
      const text = Array.from({ length: 8 }, () => someWord()).join(" ")
      const start = performance.now()
      await client.search({ text, limit: 5, rights, sets: [] })
      times.push(performance.now() - start)
    }
    await client.close()
    const sorted = times.toSorted((one, other) => one - other)
    const [median = 0, slow = 0] = [sorted[30], sorted[57]]
    console.log(
      `${passages} passages: a search takes ${median.toFixed(1)} ms (median of 60; 95 %: ${slow.toFixed(1)}; bound ${boundMs}); indexed at ${rate.toFixed(1)} MB/s (bound 5)`,
    )
    return median < boundMs && rate >= 5
  }
}

/** Returns the indexing rate in MB/s; afterwards every passage has a vector. */
async function indexed(folder: string, path: string, characters: number, name: string): Promise<number> {
  const source = await writeText(folder, name, characters)
  const writer = new IndexWriter(path)
  const start = performance.now()
  await addFrom(writer, source)
  const seconds = (performance.now() - start) / 1000
  for await (const _ of embedMissing(writer.database, randomly));
  writer.close()
  return characters / megabyte / seconds
}

async function gigabyte(folder: string): Promise<boolean> {
  const source = await writeText(folder, "large", 1000 * megabyte)
  const writer = new IndexWriter(join(folder, "large.db"))
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 50)
  let most = process.memoryUsage.rss()
  const start = performance.now()
  await addFrom(writer, source)
  const seconds = (performance.now() - start) / 1000
  writer.close()
  clearInterval(watch)
  console.log(
    `1 GB: ${(1000 / seconds).toFixed(1)} MB/s, at most ${Math.round(most / megabyte)} MB of memory (bound 800)`,
  )
  return most < 800 * megabyte
}

async function addFrom(writer: IndexWriter, folder: string): Promise<void> {
  const extractor = new Extractor()
  const wish = { org: "local", audience: undefined, sets: undefined }
  for await (const added of addDocuments(writer, findSources(folder, extractor), wish, Date.now))
    if (added.kind === "refused") throw new Error(`${added.name}: ${added.reason}`)
  writer.flush()
  await extractor.close()
}

/** A folder with files of about a megabyte. */
async function writeText(folder: string, name: string, characters: number): Promise<string> {
  const place = join(folder, name)
  mkdirSync(place)
  for (let written = 0, file = 0; written < characters; file++) {
    const stream = createWriteStream(join(place, `${file}.md`))
    for (let size = 0; size < megabyte && written < characters;) {
      const paragraph = `## ${someWord()} ${someWord()}\n\n${Array.from({ length: 95 }, () => someWord()).join(" ")}.\n\n`
      size += paragraph.length
      written += paragraph.length
      stream.write(paragraph)
    }
    stream.end()
    await finished(stream)
  }
  return place
}

/** Zipf: the n-th most common word occurs n times less often than the first. */
function someWord(): string {
  return vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? "word"
}

function wordOf(at: number): string {
  const letters = "etaoinshrdlucmfwypvbgkqjxz"
  let word = ""
  for (let rest = at + 30; rest > 0; rest = Math.floor(rest / 26)) word += letters[rest % 26] ?? ""
  return word.length < 4 ? `${word}${"aei"[at % 3]}${word}` : word
}

function randomVector(): Float32Array {
  return Float32Array.from({ length: dimensions }, () => random() - 0.5)
}

/** The same numbers in every run. */
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
