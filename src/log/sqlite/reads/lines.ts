// Reads stored events in bounded pages, so that no read blocks the event loop for long.
import type { StoredLine } from "../../event-log.ts"
import type { Page } from "../../verified-read.ts"
import type { Connection } from "../connection.ts"
import { damageOrThrow } from "../faults.ts"
import { placeOf, seqAt } from "../place.ts"
import { numberIn, textIn, type Row } from "../row.ts"

const pageRows = 256
const pageCharacters = 1024 * 1024

/** Reads no row after `upTo`: it may be on a damaged page of another session. */
export function readPage(connection: Connection, session: number, afterSeq: number, upTo: number): Page {
  const lines = readRange(connection, session, afterSeq, upTo)
  if (lines.length > 0) return { lines, problem: undefined }
  // The search for a range can fail where the search for a single row does not.
  const line = readLine(connection, session, afterSeq + 1)
  if (line === undefined) return { lines, problem: "it is missing" }
  if (line instanceof Error) return { lines, problem: `it cannot be read (${line.message})` }
  return { lines: [line], problem: undefined }
}

function readRange(connection: Connection, session: number, afterSeq: number, upTo: number): readonly StoredLine[] {
  const lines: StoredLine[] = []
  let place = placeOf(session, afterSeq)
  let characters = 0
  try {
    const inOrder = "select place, text, hash from events where place > ? and place <= ? order by place limit ?"
    const limit = Math.min(upTo - afterSeq, pageRows)
    for (const row of connection.rows(inOrder, place, placeOf(session, upTo), limit)) {
      if (row["place"] !== ++place || characters >= pageCharacters) break
      const line = lineOf(row)
      lines.push(line)
      characters += line.text.length
    }
  } catch (error) {
    damageOrThrow(error) // the next page starts at the damage
  }
  return lines
}

export function readLine(connection: Connection, session: number, seq: number): StoredLine | Error | undefined {
  try {
    const row = connection.sql("select place, text, hash from events where place = ?").get(placeOf(session, seq))
    return row === undefined ? undefined : lineOf(row)
  } catch (error) {
    return damageOrThrow(error)
  }
}

function lineOf(row: Row): StoredLine {
  return { seq: seqAt(numberIn(row, "place")), text: textIn(row, "text"), hash: textIn(row, "hash") }
}
