// The log of a home as every process of the program uses it: reads here, writes through the writer process.
import type { Outcome } from "../log/event-log.ts"
import { openSharedLog, type SqliteLog, type SqliteLogOptions } from "../log/sqlite/sqlite-log.ts"
import { WriterClient } from "./client.ts"
import { placeOf } from "./place.ts"
import { startWriter } from "./start.ts"

export function openLogWithWriter(options: SqliteLogOptions): Outcome<SqliteLog> {
  return openSharedLog(options, new WriterClient(placeOf(options.path), startWriter))
}
