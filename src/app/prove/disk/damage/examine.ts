// Opens a damaged copy of the log with the code that hosts use, reads everything, and compares it with the original.
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Recorded } from "../../../../contract/events.ts"
import type { Refusal } from "../../../../contract/refusals.ts"
import { decodeEvent } from "../../../../contract/stored-event.ts"
import { openSqliteLog, type SqliteLog } from "../../../../log/sqlite/sqlite-log.ts"
import { headKey, homeKey } from "../../../../secrets/home-key.ts"
import { messageOf } from "../../../app-fault.ts"
import type { Outcome } from "../disk-tally.ts"
import type { Report } from "../../violation.ts"
import { database, MAX_EVENTS, type KnownSession, type Newest } from "./specimen.ts"

interface Examination {
  readonly sessions: readonly KnownSession[]
  readonly expected: Newest
  readonly report: Report
}

export type Seen = Extract<Outcome, "whole" | "shorter" | "named">

export async function examine(folder: string, examination: Examination): Promise<Seen> {
  try {
    const path = join(folder, database)
    const opened = openSqliteLog({ path, headKey: headKey(homeKey(folder)) })
    if (opened.kind === "refused") return inWords(opened.refusal, examination.report)
    try {
      return await read(opened.value, examination)
    } finally {
      await opened.value.close()
    }
  } catch (fault) {
    examination.report("broken", "none", `reading it throws '${messageOf(fault)}'`)
    return "named"
  }
}

async function read(log: SqliteLog, examination: Examination): Promise<Seen> {
  const seen: Seen[] = []
  for (const session of examination.sessions) seen.push(await readSession(log, session, examination))
  const isNamed = await verify(log, examination.report)
  if (seen.includes("named") && !isNamed)
    examination.report("broken", "none", "a session is refused as damaged, and verify calls the log intact")
  if (!isNamed) await list(log, examination)
  if (isNamed) return "named"
  return seen.includes("shorter") ? "shorter" : "whole"
}

async function readSession(log: SqliteLog, session: KnownSession, { expected, report }: Examination): Promise<Seen> {
  const { sessionId, lines, noted } = session
  const loaded = await log.load(sessionId)
  const stored = await log.readLines(sessionId, 0, MAX_EVENTS)
  const found = stored.kind === "ok" ? stored.value : []
  const other = found.findIndex(({ text, hash }, index) => text !== lines[index]?.text || hash !== lines[index].hash)
  if (other >= 0) report("broken", typeIn(lines[other]?.text), `event ${other + 1} is read as another one`)
  for (const one of [loaded, stored])
    if (one.kind === "refused" && one.refusal.code !== "session.unknown") return inWords(one.refusal, report)
  const events = loaded.kind === "ok" ? loaded.value.events : []
  const newest = lines[found.length - 1]
  if (events.length !== found.length || !isDeepStrictEqual(events.at(-1), eventIn(newest?.text)))
    report("broken", typeIn(newest?.text), `a host loads ${events.length} events, and ${found.length} are stored`)
  if (found.length === lines.length) return "whole"
  const next = typeIn(lines[found.length]?.text)
  if (found.length < noted)
    report("lost", next, `event ${found.length + 1} of ${lines.length} is missing, and nothing says so`)
  else if (found.length !== expected.get(sessionId))
    report("lost", next, `${found.length} events are read, the intact part has ${expected.get(sessionId)}`)
  return "shorter"
}

function eventIn(text: string | undefined): Recorded | undefined {
  const decoded = text === undefined ? undefined : decodeEvent(text)
  return decoded?.kind === "event" ? decoded.recorded : undefined
}

function typeIn(text: string | undefined): string {
  return eventIn(text)?.event.type ?? "none"
}

/** Whether it names anything. */
async function verify(log: SqliteLog, report: Report): Promise<boolean> {
  const damage = await log.inspect()
  const findings = await log.findings()
  for (const one of [damage, findings]) if (one.kind === "refused") return inWords(one.refusal, report) === "named"
  const named = damage.kind === "ok" ? damage.value : []
  if (named.some(({ what, sessionId }) => what === "" || sessionId === ""))
    report("broken", "none", "damage is reported without its session, or without a reason")
  return named.length > 0 || (findings.kind === "ok" && findings.value.length > 0)
}

/** Nothing is named, so every session must be listed that has events. */
async function list(log: SqliteLog, { expected, report }: Examination): Promise<void> {
  const listed = await log.list()
  if (listed.kind === "refused") return void inWords(listed.refusal, report)
  const ids = new Set(listed.value.map(({ sessionId }) => sessionId))
  const missing = [...expected].find(([sessionId, newest]) => newest > 0 && !ids.has(sessionId))
  if (missing !== undefined) report("lost", "none", `session ${missing[0]} is not listed, and verify names nothing`)
}

const namingCodes: ReadonlySet<Refusal["code"]> = new Set(["session.damaged", "log.unavailable"])

function inWords(refusal: Refusal, report: Report): "named" {
  const what = "what" in refusal ? refusal.what : ""
  if (!namingCodes.has(refusal.code) || what === "")
    report("broken", "none", `the log is refused with ${JSON.stringify(refusal)}`)
  return "named"
}
