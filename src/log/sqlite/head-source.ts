// What the head recorder and the comparison read from the database: committed heads, and the id of its head file.
import type { HeadSource } from "../heads/head-recorder.ts"
import type { Head } from "../heads/head-record.ts"
import type { Connection } from "./connection.ts"
import { damageOrThrow } from "./faults.ts"
import { numberIn, sessionIdIn, textIn, type Row } from "./row.ts"

export function headSource(connection: Connection): HeadSource {
  return {
    headOf: (sessionId) => {
      const row = connection.sql("select session_id, seq, head from sessions where session_id = ?").get(sessionId)
      return row === undefined ? undefined : headIn(row)
    },
    allHeads: () => allHeads(connection),
    countSessions: () => numberIn(connection.sql("select count(*) as sessions from sessions").get() ?? {}, "sessions"),
    knownFileId: () => {
      const row = connection.sql("select file_id from head_file").get()
      return row === undefined ? undefined : textIn(row, "file_id")
    },
    rememberFileId: (fileId) => {
      connection.sql("insert or replace into head_file (only, file_id) values (1, ?)").run(fileId)
    },
  }
}

/** Up to the first unreadable row, which `inspect` reports. */
function* allHeads(connection: Connection): Generator<Head> {
  try {
    for (const row of connection.rows("select session_id, seq, head from sessions")) yield headIn(row)
  } catch (error) {
    damageOrThrow(error)
  }
}

function headIn(row: Row): Head {
  return { sessionId: sessionIdIn(row), seq: numberIn(row, "seq"), hash: textIn(row, "head") }
}
