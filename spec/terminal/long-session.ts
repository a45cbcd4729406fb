// A session with a long history in the home of a test: a real turn of the engine, repeated with other ids by the log, with
// a compaction every few turns, as a session of that length has.
import { join } from "node:path"
import type { SessionEvent } from "../../src/contract/events.ts"
import type { EventLog, Lease, Outcome } from "../../src/log/event-log.ts"
import { thisHost } from "../../src/log/process-identity.ts"
import { foldStatus, noStatus } from "../../src/projection/status.ts"
import { openLogWithWriter } from "../../src/log-writer/client.ts"
import { eventsIn } from "../e2e/printed.ts"
import { endHosts } from "../e2e/hosts.ts"
import { idOf, type Place } from "../e2e/place.ts"

const EVENTS_AT_ONCE = 1000
const SESSIONS_AT_ONCE = 200
const TURNS_PER_COMPACTION = 20

/** Returns the id of the session. The turn reads a file and answers. */
export async function makeLongSession(place: Place, count: number): Promise<string> {
  const { sessionId, stored } = await oneTurn(place)
  const turn = stored.slice(stored.findIndex(({ type }) => type === "prompt.admitted"))
  await appendAll(place, sessionId, stored.length, repeated(turn, stored.length, count))
  return sessionId
}

/** As many sessions with the same turn each. */
export async function makeManySessions(place: Place, count: number): Promise<void> {
  const { stored } = await oneTurn(place)
  const status = stored.reduce((folded, event, at) => foldStatus(folded, { seq: at + 1, at: 0, event }), noStatus)
  const summary = { ...status }
  await withLog(place, async (log, lease) => {
    for (let at = 0; at < count; at += SESSIONS_AT_ONCE) {
      const ids = Array.from({ length: Math.min(SESSIONS_AT_ONCE, count - at) }, (_, index) =>
        sessionNumber(at + index),
      )
      const create = (sessionId: string) =>
        log.create(lease, { sessionId, expectedSeq: 0, at: Date.now(), events: stored, summary })
      for (const created of await Promise.all(ids.map(create))) must(created)
    }
  })
}

function sessionNumber(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`
}

async function oneTurn(place: Place) {
  place.write("notes.txt", "alpha\nbeta\n")
  const { code, stderr } = await place.run("run", "--model", "offline/demo", "read notes.txt")
  if (code !== 0) throw new Error(stderr)
  const sessionId = idOf((await place.sessions())[0])
  const stored = eventsIn(await place.log(sessionId)).map(({ event }) => event)
  await endHosts(place.home)
  return { sessionId, stored }
}

/** `start`: events that are stored already. */
function repeated(turn: readonly SessionEvent[], start: number, count: number): readonly SessionEvent[] {
  const events: SessionEvent[] = []
  for (let round = 0; events.length < count; round += 1) {
    if (round % TURNS_PER_COMPACTION === 0 && round > 0) events.push(...compaction(round, start + events.length))
    events.push(...turn.map((event) => withOtherIds(event, round)))
  }
  return events
}

/** Its summary covers what is before it. */
function compaction(round: number, upToSeq: number): readonly SessionEvent[] {
  const compactionId = `cmp_${round}` as const
  return [
    { type: "compaction.started", compactionId, why: "context-full" },
    { type: "context.compacted", compactionId, summary: `A summary of ${round} turns.`, upToSeq },
  ]
}

function withOtherIds(event: SessionEvent, round: number): SessionEvent {
  const text = JSON.stringify(event).replaceAll(/"((?:prm|trn|stp|cal|apr)_[^"]+)"/g, `"$1-${round}"`)
  const copy: SessionEvent = JSON.parse(text)
  return copy
}

async function appendAll(place: Place, sessionId: string, start: number, events: readonly SessionEvent[]) {
  await withLog(place, async (log, lease) => {
    must(await log.claim(lease, sessionId))
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE) {
      const part = events.slice(at, at + EVENTS_AT_ONCE)
      must(await log.append(lease, { sessionId, expectedSeq: start + at, at: Date.now(), events: part }))
    }
  })
}

async function withLog(place: Place, work: (log: EventLog, lease: Lease) => Promise<void>): Promise<void> {
  const log = must(openLogWithWriter({ path: join(place.home, "turnhouse.db") }))
  const lease = must(await log.registerHost(thisHost("bench")))
  await work(log, lease)
  must(await log.releaseHost(lease))
  await log.close()
}

function must<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "ok") return outcome.value
  throw new Error(JSON.stringify(outcome.refusal))
}
