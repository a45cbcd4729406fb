// Opens the log of a home, without the engine.
import { join } from "node:path"
import type { SqliteLog } from "../../log/sqlite/sqlite-log.ts"
import { openLogWithWriter } from "../../log-writer/client.ts"
import { headKey } from "../../secrets/home-key.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { KeyFileFault } from "../../secrets/key-file.ts"
import { accepted } from "../app-fault.ts"
import { loadContextLeniently } from "../context.ts"
import { printNotice } from "../terminal.ts"

/** For commands that read or change the log itself. They work despite an error in a configuration file. */
export async function withLog<Value>(use: (log: SqliteLog, home: string) => Promise<Value>): Promise<Value> {
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    return await use(log, home)
  } finally {
    await log.close()
  }
}

export function openLog(home: string, onKeyFault: (message: string) => void = warn): SqliteLog {
  const headKeyOrNone = headKeyOf(home, onKeyFault)
  return accepted(openLogWithWriter({ path: join(home, "turnhouse.db"), headKey: headKeyOrNone, warn })).value
}

/** Commands that only read sessions work without the key; heads are then not compared. */
function headKeyOf(home: string, onKeyFault: (message: string) => void): Uint8Array | undefined {
  try {
    return headKey(homeKey(home))
  } catch (fault) {
    if (!(fault instanceof KeyFileFault)) throw fault
    onKeyFault(fault.message)
    return undefined
  }
}

function warn(message: string): void {
  printNotice(`turnhouse: ${message}`)
}
