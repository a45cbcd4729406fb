import { expect, it } from "vitest"
import type { SessionEvent } from "../contract/events.ts"
import type { EventLog, Lease } from "../log/event-log.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { encodeSnapshot, foldAll, noFolds } from "../runner/snapshot.ts"
import { eventsBackwards, readFolds } from "./read-folds.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"
const by = { principal: "you", door: "test" }

async function logWith(names: readonly string[]): Promise<{ log: EventLog; lease: Lease }> {
  const log = openMemoryLog()
  const host = { hostId: "h", role: "test", pid: 1, startTime: "1", bootId: "b" }
  const registered = await log.registerHost(host)
  if (registered.kind === "refused") throw new Error(registered.refusal.code)
  const events: readonly SessionEvent[] = names.map((name) => ({ type: "session.renamed", name, by }))
  await log.create(registered.value, { sessionId, expectedSeq: 0, at: 1, events })
  return { log, lease: registered.value }
}

async function nameIn(log: EventLog): Promise<string | undefined> {
  const folds = await readFolds(log, sessionId)
  return folds.kind === "ok" ? `${folds.value.state.name} ${folds.value.state.seq}` : folds.refusal.code
}

it("folds all events of a session that has no snapshot", async () => {
  const { log } = await logWith(["a", "b"])
  expect(await nameIn(log)).toBe("b 2")
})

it("continues from a snapshot", async () => {
  const { log, lease } = await logWith(["a", "b"])
  const read = await log.read(sessionId, 0, 1)
  if (read.kind === "refused") throw new Error(read.refusal.code)
  await log.saveSnapshot(lease, sessionId, { seq: 1, value: encodeSnapshot(foldAll(noFolds(), read.value)) })
  expect(await nameIn(log)).toBe("b 2")
})

it("reads the whole log when the snapshot is of another version", async () => {
  const { log, lease } = await logWith(["a", "b"])
  await log.saveSnapshot(lease, sessionId, { seq: 2, value: { version: 0, digest: "", body: "" } })
  expect(await nameIn(log)).toBe("b 2")
})

it("passes a refusal on", async () => {
  expect(await nameIn(openMemoryLog())).toBe("session.unknown")
})

it("reads the events backwards, page by page", async () => {
  const { log } = await logWith(Array.from({ length: 1200 }, (_, index) => String(index)))
  const seqs: number[] = []
  for await (const next of eventsBackwards(log, sessionId, 1200)) if (next.kind === "ok") seqs.push(next.value.seq)
  expect(seqs).toEqual(Array.from({ length: 1200 }, (_, index) => 1200 - index))
})
