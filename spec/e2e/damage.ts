// Damages the log of a home. No process may have it open.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { nextHash } from "../../src/log/chain.ts"
import { placeOf } from "../../src/log/sqlite/place.ts"
import type { Place } from "./place.ts"

const pageSize = 4096

export function logFile(place: Place): string {
  return join(place.home, "turnhouse.db")
}

export function inLog<Result>(place: Place, harm: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(logFile(place))
  try {
    return harm(database)
  } finally {
    database.close()
  }
}

/** The statement gets the place of that event. */
export function harmEvent(place: Place, sessionId: string, seq: number, sql: string): void {
  inLog(place, (database) => {
    const { changes } = database.prepare(sql).run(placeOf(numberOf(database, sessionId), seq))
    if (Number(changes) === 0) throw new Error(`event ${seq} is not there to be harmed`)
  })
}

/** Puts an event after the newest one, as a program that knows more would have done: the chain fits. */
export function appendEvent(place: Place, sessionId: string, body: Readonly<Record<string, unknown>>): number {
  return inLog(place, (database) => {
    const head = database.prepare("select seq, head from sessions where session_id = ?").get(sessionId)
    const seq = Number(head?.["seq"]) + 1
    const text = JSON.stringify({ seq, at: Date.now(), ...body })
    const hash = nextHash(String(head?.["head"]), text)
    const at = placeOf(numberOf(database, sessionId), seq)
    database.prepare("insert into events (place, text, hash) values (?, ?, ?)").run(at, text, hash)
    database.prepare("update sessions set seq = ?, head = ? where session_id = ?").run(seq, hash, sessionId)
    return seq
  })
}

export function pagesOf(place: Place): number {
  return readFileSync(logFile(place)).length / pageSize
}

/** Overwrites one page of the file, counted from 1. */
export function overwritePage(place: Place, page: number): void {
  const bytes = readFileSync(logFile(place))
  bytes.fill("garbage", (page - 1) * pageSize, page * pageSize)
  writeFileSync(logFile(place), bytes)
}

function numberOf(database: DatabaseSync, sessionId: string): number {
  const row = database.prepare("select number from sessions where session_id = ?").get(sessionId)
  return Number(row?.["number"])
}
