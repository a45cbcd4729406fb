// Copies a database that others write to. One read transaction is held from beginning to end, so that the copy is of
// one moment and does not start anew with every write; writers are not held up by it.
import { backup, DatabaseSync } from "node:sqlite"
import { openReadOnly } from "../../log/sqlite/read-only.ts"

/** Pages of 4 KiB that are copied before others get their turn. */
const pagesAtOnce = 2000
/** Below this nobody waits long enough to want to know. */
const pagesWorthTelling = 20_000

export async function copyDatabase(source: string, target: string): Promise<void> {
  const database = openReadOnly(source)
  try {
    database.exec("begin")
    database.prepare("select count(*) from sqlite_schema").get() // the moment that is copied
    await backup(database, target, { rate: pagesAtOnce, progress: tell })
    database.exec("commit")
    forgetHeadFile(target)
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    database.close()
  }
}

/** The file with the heads of all sessions is not part of the copy, and must not be missed where the copy is used. */
function forgetHeadFile(target: string): void {
  const copy = new DatabaseSync(target)
  try {
    if (copy.prepare("select 1 from sqlite_schema where name = 'head_file'").get() === undefined) return
    copy.exec("delete from head_file")
  } finally {
    copy.close()
  }
}

function tell({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void {
  if (totalPages < pagesWorthTelling || !process.stderr.isTTY) return
  process.stderr.write(`\r${Math.floor((100 * (totalPages - remainingPages)) / totalPages)} %`)
}
