// Cost of the stdio child: its start against a bare Node, a delta against the provider's stream alone, the first delta,
// ten thousand requests in one write, memory over a thousand turns. Every number is measured in this run; bounds are
// printed beside it, and the exit code is 1 when one is missed. Run: node bench/rpc.ts
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RpcChild } from "./rpc-child.ts"
import { deltaCosts } from "./rpc-deltas.ts"

const starts = 21
const questions = 10_000
const turns = 1000
const missed: string[] = []

const home = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
try {
  await start()
  await costOfDeltas()
  await oneChild()
} finally {
  rmSync(home, { recursive: true })
}
console.log(missed.length === 0 ? "all bounds met" : `missed: ${missed.join(", ")}`)
process.exitCode = missed.length === 0 ? 0 : 1

/** Alternating, so that other load affects both. */
async function start(): Promise<void> {
  await timeToReady() // the first start creates the files of the home and fills the compile cache
  const bare: number[] = []
  const ready: number[] = []
  for (let n = 0; n < starts; n++) {
    bare.push(await timeOfBareNode())
    ready.push(await timeToReady())
  }
  const ratio = median(ready) / median(bare)
  line("bare node -e 0, median", `${median(bare).toFixed(0)} ms`)
  line("spawn to ready, median", `${median(ready).toFixed(0)} ms`)
  bound("  against bare node", `${ratio.toFixed(2)} times`, "at most 2.5", ratio <= 2.5)
}

async function costOfDeltas(): Promise<void> {
  const { readerUs, addedUs, firstDeltaMs } = await deltaCosts()
  line("a delta, read from the model alone", `${readerUs.toFixed(2)} us of CPU`)
  bound("  added by engine and door", `${addedUs.toFixed(2)} us of CPU`, "at most 8", addedUs <= 8)
  bound("  time added to the first delta", `${firstDeltaMs.toFixed(2)} ms`, "under 2", firstDeltaMs < 2)
}

async function oneChild(): Promise<void> {
  const script = join(home, "script.json")
  writeFileSync(script, JSON.stringify({ delayMs: 0, steps: [[{ text: "Fine." }]] }))
  const child = new RpcChild(home, ["--model", `offline/script:${script}`])
  await child.lines(1)
  child.send({ type: "get_state", id: "first" })
  await child.lines(1)
  const idle = child.memoryMb()
  bound("memory when idle", `${idle.toFixed(0)} MB`, "under 90", idle < 90)
  line("threads", String(child.threads()))

  const asked = performance.now()
  child.write(Array.from({ length: questions }, (_, n) => `{"type":"get_state","id":"${n}"}\n`).join(""))
  const answers = await child.lines(questions)
  const seconds = (performance.now() - asked) / 1000
  const inOrder = answers.every((answer, n) => answer.includes(`"id":"${n}"`))
  bound(`${questions} get_state in one write`, `${seconds.toFixed(2)} s`, "in order, under 1", inOrder && seconds < 1)

  await child.turns(turns / 10)
  const early = child.memoryMb()
  await child.turns(turns - turns / 10)
  const grown = child.memoryMb() - early
  bound(`memory from turn ${turns / 10} to ${turns}`, `${grown.toFixed(1)} MB more`, "under 25", grown < 25)
  child.send({ type: "shutdown" })
  await child.ended
}

async function timeToReady(): Promise<number> {
  const begun = performance.now()
  const child = new RpcChild(home, ["--model", "offline/demo"])
  await child.lines(1)
  const time = performance.now() - begun
  child.send({ type: "shutdown" })
  await child.ended
  return time
}

async function timeOfBareNode(): Promise<number> {
  const begun = performance.now()
  await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit")
  return performance.now() - begun
}

function line(what: string, figure: string): void {
  console.log(`${what.padEnd(38)} ${figure}`)
}

function bound(what: string, figure: string, promise: string, isKept: boolean): void {
  line(what, `${figure}  (bound: ${promise})`)
  if (!isKept) missed.push(what.trim())
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
