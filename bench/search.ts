// Cost of the grep tool over ripgrep itself: both search the same 30,000 files, alternating, in one run. The ratio of the
// medians is the result; the times depend on the machine.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import { ProcessSupervisor } from "../src/processes/process-supervisor.ts"
import { FileMemory } from "../src/tools/files/file-memory.ts"
import { grepTool } from "../src/tools/search/grep.ts"

const files = 30_000
const rounds = 9
const needle = "needle-[0-9]{4}"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "bench-search-")))
const processes = new ProcessSupervisor(`bench-${process.pid}`)
try {
  makeTree()
  await withRipgrep() // both warm the cache of the file system
  await withTool()
  const plain: number[] = []
  const tool: number[] = []
  for (let round = 0; round < rounds; round++) {
    plain.push(await timed(withRipgrep))
    tool.push(await timed(withTool))
  }
  const [plainMs, toolMs] = [median(plain), median(tool)]
  console.log(`${files} files, median of ${rounds}: rg ${plainMs.toFixed(0)} ms, grep tool ${toolMs.toFixed(0)} ms`)
  console.log(`ratio ${(toolMs / plainMs).toFixed(2)}`)
} finally {
  await processes.close()
  rmSync(folder, { recursive: true, force: true })
}

function makeTree(): void {
  const filler = "the quick brown fox jumps over the lazy dog\n".repeat(40)
  for (let index = 0; index < files; index++) {
    const inside = join(folder, `part-${index % 30}`, `group-${index % 600}`)
    if (index < 600) mkdirSync(inside, { recursive: true })
    const line = index % 100 === 0 ? `needle-${String(index).padStart(5, "0")}\n` : ""
    writeFileSync(join(inside, `file-${index}.txt`), filler + line)
  }
}

async function withRipgrep(): Promise<void> {
  const args = ["--no-heading", "--line-number", "--hidden", "--color=never", needle, "."]
  const child = spawn(rgPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
  child.stdout.resume()
  await once(child, "close")
}

async function withTool(): Promise<void> {
  const memory = new FileMemory()
  const tool = grepTool({
    processes,
    guardPath: () => undefined,
    guardFolders: () => () => undefined,
    fileMemoryFor: () => memory,
  })
  const call = await tool.prepare(
    { pattern: needle },
    {
      sessionId: "0190b6a0-0000-7000-8000-000000000000",
      callId: "cal_bench",
      idempotencyKey: "bench",
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "" },
      signal: new AbortController().signal,
      progress: () => {},
    },
  )
  const { output } = await call.run()
  if (output.split("\n").length !== files / 100) throw new Error(`the tool found something else:\n${output}`)
}

async function timed(run: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await run()
  return performance.now() - began
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
