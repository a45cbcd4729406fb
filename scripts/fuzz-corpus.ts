// Adds inputs to the corpus of a target of `turnhouse prove fuzz`: node scripts/fuzz-corpus.ts TARGET [FRAMES] [SEED]
// Feeds the target like the proof, and writes the shortest inputs that reach code which the corpus does not reach.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Coverage } from "../src/app/prove/fuzz/engine/coverage.ts"
import { FuzzRun } from "../src/app/prove/fuzz/engine/fuzz-run.ts"
import { bytesOf, readable } from "../src/app/prove/fuzz/engine/readable.ts"
import { targets, type Corpus } from "../src/app/prove/fuzz/targets.ts"

/** Longer inputs are left out: the corpus is part of the package. */
const MAX_BYTES = 1000

const [name = "", frames = "20000", seed = "1"] = process.argv.slice(2)
const entry = targets.find((one) => one.name === name)
if (entry === undefined) throw new Error(`'${name}' is not one of ${targets.map((one) => one.name).join(", ")}`)
const file = fileURLToPath(new URL(`../src/app/prove/fuzz/corpus/${name}.json`, import.meta.url))
const corpus: Corpus = JSON.parse(readFileSync(file, "utf8"))
const folder = mkdtempSync(join(tmpdir(), "turnhouse-corpus-"))
process.env["HOME"] = folder
process.env["TURNHOUSE_HOME"] = join(folder, "home")

const coverage = Coverage.start() // before the modules of the target are loaded
const { openTarget } = await entry.load()
const run = new FuzzRun({
  open: openTarget,
  place: { folder },
  coverage,
  seed: Number(seed),
  frames: Number(frames),
  corpus: [...corpus.cases.flatMap((one) => one.inputs), ...corpus.inputs].map(bytesOf),
  onBatch: () => {},
  onRun: async () => {},
})
const found = await run.run()
if (found !== undefined) throw new Error(`${found.event}: ${found.what}\n${found.inputs.map(readable).join("\n")}`)
const reduced = (await run.reduced()).filter(({ length }) => length <= MAX_BYTES)
const needed = reduced.map(readable).filter((input) => !input.includes(folder))
writeFileSync(file, `${JSON.stringify({ ...corpus, inputs: [...corpus.inputs, ...needed] }, null, 2)}\n`)
rmSync(folder, { recursive: true, force: true })
console.log(`${needed.length} inputs added to ${file}`)
process.exit(0)
