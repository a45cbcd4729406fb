// The log in PostgreSQL in a process of its own: every session appends its next event when the last one is durable.
// Run: node append-process.ts URL SESSIONS SECONDS. It ends with its parent.
import type { Lease, Outcome } from "../../src/log/event-log.ts"
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts"
import { thisHost } from "../../src/log/process-identity.ts"
import { event } from "./append-event.ts"

const WARM_UP_MS = 700

const [url = "", sessions = "", seconds = ""] = process.argv.slice(2)
process.stdin.resume().on("end", () => process.exit())
const log = new PostgresLog({ url })
const lease = must(await log.registerHost(thisHost("bench")))
const ids = Array.from({ length: Number(sessions) }, (_, index) => idOf(index))
await Promise.all(ids.map(async (id) => must(await log.create(lease, whatFollows(id, 0)))))
const warm = await Promise.all(ids.map((id) => appendUntil(lease, id, 1, performance.now() + WARM_UP_MS)))
const begun = performance.now()
const until = begun + Number(seconds) * 1000
const reached = await Promise.all(ids.map((id, at) => appendUntil(lease, id, warm[at] ?? 0, until)))
const took = (performance.now() - begun) / 1000
const total = (seqs: readonly number[]) => seqs.reduce((sum, seq) => sum + seq, 0)
const stored = must(await log.list()).reduce((sum, { seq }) => sum + seq, 0)
if (stored !== total(reached)) throw new Error(`${total(reached)} events were appended, and ${stored} are stored`)
const count = stored - total(warm)
console.log(`appends ${count} rate ${(count / took).toFixed(1)}`)

/** Returns the number of the last event. */
async function appendUntil(of: Lease, id: string, from: number, end: number): Promise<number> {
  let seq = from
  for (; performance.now() < end; seq++) must(await log.append(of, whatFollows(id, seq)))
  return seq
}

function whatFollows(sessionId: string, expectedSeq: number) {
  return { sessionId, expectedSeq, at: Date.now(), events: [event] }
}

function idOf(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`
}

function must<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "ok") return outcome.value
  throw new Error(JSON.stringify(outcome.refusal))
}
