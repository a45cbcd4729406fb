// The event log in a process of its own, so that its memory and the delay of its event loop are those of the log. Prints one line of
// JSON. Run: node log-process.ts bare FOLDER ROWS | append FOLDER SESSIONS | fill FOLDER | open FOLDER, each with SECONDS.
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { DatabaseSync } from "node:sqlite"
import type { SessionEvent } from "../../src/contract/events.ts"
import { encodeEvent } from "../../src/contract/stored-event.ts"
import type { EventLog, Lease, Outcome } from "../../src/log/event-log.ts"
import { thisHost } from "../../src/log/process-identity.ts"
import { openLogWithWriter } from "../../src/log-writer/client.ts"

/** Events of the long history, and those after its snapshot. */
const HISTORY = 100_000
const AFTER_SNAPSHOT = 400
const RESOLUTION_MS = 1
const event: SessionEvent = { type: "text.ended", stepId: "stp_1", block: 0, text: "a line of an answer ".repeat(8) }

const [mode, folder = "", count = "1", seconds = "1"] = process.argv.slice(2)
const parts = { bare, append: appendAtOnce, fill, open: openLong }
if (mode !== "bare" && mode !== "append" && mode !== "fill" && mode !== "open")
  throw new Error(`there is no part ${mode}`)
console.log(JSON.stringify(await parts[mode]()))

/** Rows per second of the same bytes in one plain table with the same durability. */
function bare() {
  const database = new DatabaseSync(join(folder, `bare-${count}-${process.pid}.db`))
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table lines (id integer primary key, text)",
  )
  const insert = database.prepare("insert into lines (text) values (?)")
  const text = encodeEvent({ seq: 1, at: Date.now(), event })
  let rows = 0
  const start = performance.now()
  while (performance.now() - start < Number(seconds) * 1000) {
    database.exec("begin immediate")
    for (let row = 0; row < Number(count); row++) insert.run(text)
    database.exec("commit")
    rows += Number(count)
  }
  return { rate: rows / ((performance.now() - start) / 1000) }
}

/** Every session appends its next event when the previous one is durable. */
async function appendAtOnce() {
  const log = must(openLogWithWriter({ path: join(folder, `log-${process.pid}.db`) }))
  const lease = must(await log.registerHost(thisHost("bench")))
  const ids = Array.from({ length: Number(count) }, (_, index) => sessionId(index))
  await Promise.all(ids.map((id) => append(log, lease, id, 0)))
  await Promise.all(ids.map((id) => appendUntil(log, lease, id, performance.now() + 300)))
  const seqs = new Map(must(await log.list()).map((row) => [row.sessionId, row.seq]))
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const start = performance.now()
  const until = start + Number(seconds) * 1000
  await Promise.all(ids.map((id) => appendUntil(log, lease, id, until, seqs.get(id))))
  const took = (performance.now() - start) / 1000
  delay.disable()
  const before = [...seqs.values()].reduce((sum, seq) => sum + seq, 0)
  const after = must(await log.list()).reduce((sum, row) => sum + row.seq, 0)
  await log.close()
  return { rate: (after - before) / took, delayMs: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS) }
}

async function appendUntil(log: EventLog, lease: Lease, id: string, until: number, seq = 1): Promise<void> {
  for (let next = seq; performance.now() < until; next++) await append(log, lease, id, next)
}

async function append(log: EventLog, lease: Lease, id: string, expectedSeq: number, events = 1): Promise<void> {
  const what = { sessionId: id, expectedSeq, at: Date.now(), events: Array.from({ length: events }, () => event) }
  must(await (expectedSeq === 0 ? log.create(lease, what) : log.append(lease, what)))
}

async function fill() {
  const log = must(openLogWithWriter({ path: join(folder, "long.db") }))
  const lease = must(await log.registerHost(thisHost("bench")))
  for (let seq = 0; seq < HISTORY; seq += 1000) await append(log, lease, sessionId(1), seq, 1000)
  const snapshot = { seq: HISTORY - AFTER_SNAPSHOT, value: { state: "x".repeat(20_000) } }
  must(await log.saveSnapshot(lease, sessionId(1), snapshot))
  must(await log.releaseHost(lease))
  await log.close()
  return {}
}

/** Its caches are cold, and its growth is that of opening. */
async function openLong() {
  const log = must(openLogWithWriter({ path: join(folder, "long.db") }))
  const lease = must(await log.registerHost(thisHost("bench")))
  const before = process.memoryUsage.rss()
  const start = performance.now()
  must(await log.claim(lease, sessionId(1)))
  const { events, snapshot } = must(await log.load(sessionId(1)))
  const openMs = performance.now() - start
  const growthMiB = (process.memoryUsage.rss() - before) / 1024 / 1024
  if (snapshot?.seq !== HISTORY - AFTER_SNAPSHOT || events.length !== AFTER_SNAPSHOT)
    throw new Error("the snapshot was not used")
  await log.close()
  return { openMs, growthMiB }
}

function sessionId(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`
}

function must<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "ok") return outcome.value
  throw new Error(JSON.stringify(outcome.refusal))
}
