// Snapshots save replaying. One that cannot be read, or does not belong to the event it names, is passed over: an older
// one or the events themselves say the same.
import { parseJson } from "../../../contract/json-object.ts"
import { nextHash } from "../../chain.ts"
import type { Snapshot } from "../../event-log.ts"
import type { Connection } from "../connection.ts"
import type { StoredHead } from "../directory.ts"
import { damageOrThrow } from "../faults.ts"
import { readLine } from "./lines.ts"
import { placeOf, seqAt } from "../place.ts"
import { numberIn, textIn, type Row } from "../row.ts"

export function readSnapshot(connection: Connection, { number, seq }: StoredHead): Snapshot | undefined {
  const newest = "select place, value, hash from snapshots where place <= ? and place > ? order by place desc limit 1"
  try {
    for (let upTo = placeOf(number, seq); ;) {
      const row = connection.sql(newest).get(upTo, placeOf(number, 0))
      if (row === undefined) return undefined
      const snapshot = usable(connection, number, row)
      if (snapshot !== undefined) return snapshot
      upTo = numberIn(row, "place") - 1
    }
  } catch (error) {
    damageOrThrow(error)
    return undefined
  }
}

function usable(connection: Connection, session: number, row: Row): Snapshot | undefined {
  const seq = seqAt(numberIn(row, "place"))
  const text = textIn(row, "value")
  const event = readLine(connection, session, seq)
  if (event === undefined || event instanceof Error) return undefined
  if (textIn(row, "hash") !== nextHash(event.hash, text)) return undefined
  const value = parseJson(text)
  return { seq, value }
}
