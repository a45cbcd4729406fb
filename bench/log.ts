// Cost of the log over bare SQLite on the same disk: durable appends of many concurrent sessions, the delay of the event
// loop meanwhile, and opening a session with a long history. Every number is measured in this run; bounds are printed
// beside it, and the exit code is 1 when one is missed. Run: node bench/log.ts
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { DatabaseSync } from "node:sqlite"
import type { SessionEvent } from "../src/contract/events.ts"
import { encodeEvent } from "../src/contract/stored-event.ts"
import type { EventLog, Lease, Outcome } from "../src/log/event-log.ts"
import { thisHost } from "../src/log/process-identity.ts"
import { openLogWithWriter } from "../src/log-writer/client.ts"

const sessions = 100
const secondsPerRun = 3
const history = 100_000
const event: SessionEvent = { type: "text.ended", stepId: "stp_1", block: 0, text: "a line of an answer ".repeat(8) }

const [mode, path = "", id = ""] = process.argv.slice(2)
if (mode === "open") await openInThisProcess(path, id)
else await runAll()

async function runAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-bench-"))
  try {
    const single = bareCommits(join(folder, "single.db"), 1)
    const batched = bareCommits(join(folder, "batched.db"), sessions)
    console.log(`bare SQLite, one row per commit       ${perSecond(single)}`)
    console.log(`bare SQLite, ${sessions} rows per commit      ${perSecond(batched)}`)
    const { rate, p99 } = await appendsAtOnce(join(folder, "many.db"))
    console.log(`log, ${sessions} concurrent sessions          ${perSecond(rate)}  (bound: at least 15,000)`)
    console.log(`  against one row per commit          ${(rate / single).toFixed(1)} times`)
    console.log(`  against ${sessions} rows per commit         ${(rate / batched).toFixed(2)} times`)
    console.log(`  event loop delay, p99               ${p99.toFixed(1)} ms  (bound: under 20)`)
    const opened = await longHistory(join(folder, "long.db"))
    console.log(`open ${history} events from a snapshot   ${opened.snapshotMs.toFixed(1)} ms  (bound: under 50)`)
    console.log(`  growth of the process               ${opened.snapshotMb.toFixed(1)} MB  (bound: under 20)`)
    console.log(
      `  against reading them all            ${(opened.replayMs / opened.snapshotMs).toFixed(0)} times faster`,
    )
    const kept = rate >= 15_000 && p99 < 20 && opened.snapshotMs < 50 && opened.snapshotMb < 20
    console.log(kept ? "all bounds met" : "a bound was missed")
    process.exitCode = kept ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Rows per second of the same bytes in one plain table with the same durability. */
function bareCommits(file: string, rowsPerCommit: number): number {
  const database = new DatabaseSync(file)
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table lines (id integer primary key, text)",
  )
  const insert = database.prepare("insert into lines (text) values (?)")
  const text = encodeEvent({ seq: 1, at: Date.now(), event })
  let rows = 0
  const start = performance.now()
  while (performance.now() - start < secondsPerRun * 1000) {
    database.exec("begin immediate")
    for (let row = 0; row < rowsPerCommit; row++) insert.run(text)
    database.exec("commit")
    rows += rowsPerCommit
  }
  const seconds = (performance.now() - start) / 1000
  database.close()
  return rows / seconds
}

/** Every session appends its next event when the previous one is durable. */
async function appendsAtOnce(file: string): Promise<{ rate: number; p99: number }> {
  const log = must(openLogWithWriter({ path: file }))
  const lease = must(await log.registerHost(thisHost("bench")))
  const ids = Array.from({ length: sessions }, (_, index) => sessionId(index))
  await Promise.all(ids.map((each) => append(log, lease, each, 0)))
  await Promise.all(ids.map((each) => appendUntil(log, lease, each, performance.now() + 500)))
  const seqs = new Map(must(await log.list()).map((row) => [row.sessionId, row.seq]))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  const until = start + secondsPerRun * 1000
  await Promise.all(ids.map((each) => appendUntil(log, lease, each, until, seqs.get(each))))
  const seconds = (performance.now() - start) / 1000
  delay.disable()
  const before = [...seqs.values()].reduce((sum, seq) => sum + seq, 0)
  const after = must(await log.list()).reduce((sum, row) => sum + row.seq, 0)
  await log.close()
  return { rate: (after - before) / seconds, p99: delay.percentile(99) / 1e6 }
}

async function appendUntil(log: EventLog, lease: Lease, each: string, until: number, seq = 1): Promise<void> {
  for (let next = seq; performance.now() < until; next++) await append(log, lease, each, next)
}

async function append(log: EventLog, lease: Lease, each: string, expectedSeq: number, count = 1): Promise<void> {
  const events = Array.from({ length: count }, () => event)
  const what = { sessionId: each, expectedSeq, at: Date.now(), events }
  must(await (expectedSeq === 0 ? log.create(lease, what) : log.append(lease, what)))
}

async function longHistory(file: string) {
  const log = must(openLogWithWriter({ path: file }))
  const lease = must(await log.registerHost(thisHost("bench")))
  for (let seq = 0; seq < history; seq += 1000) await append(log, lease, sessionId(1), seq, 1000)
  must(await log.saveSnapshot(lease, sessionId(1), { seq: history - 400, value: { state: "x".repeat(20_000) } }))
  must(await log.releaseHost(lease))
  await log.close()
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, "open", file, sessionId(1)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [snapshotMs = NaN, snapshotMb = NaN, replayMs = NaN] = stdout.trim().split(" ").map(Number)
  if (status !== 0) throw new Error("the process that opens the long history failed")
  return { snapshotMs, snapshotMb, replayMs }
}

/** A new process, so that caches are cold and its growth is that of opening. */
async function openInThisProcess(file: string, each: string): Promise<void> {
  const log = must(openLogWithWriter({ path: file }))
  const lease = must(await log.registerHost(thisHost("bench")))
  const before = process.memoryUsage.rss()
  const start = performance.now()
  must(await log.claim(lease, each))
  const { events, snapshot } = must(await log.load(each))
  const snapshotMs = performance.now() - start
  const snapshotMb = (process.memoryUsage.rss() - before) / 1024 / 1024
  if (snapshot?.seq !== history - 400 || events.length !== 400) throw new Error("the snapshot was not used")
  const again = performance.now()
  const all = must(await log.read(each, 0, history))
  if (all.length !== history) throw new Error("events are missing")
  console.log(snapshotMs, snapshotMb, performance.now() - again)
  await log.close()
}

function sessionId(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en").padStart(9)} /s`
}

function must<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "ok") return outcome.value
  throw new Error(JSON.stringify(outcome.refusal))
}
