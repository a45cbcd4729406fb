// Copies a database while others write to it. One read transaction spans the copy, so that it is of one moment and does
// not restart with every write; writers are not blocked.
import { backup, DatabaseSync } from "node:sqlite"
import { openReadOnly } from "../../log/sqlite/read-only.ts"

/** Pages of 4 KiB that are copied without a pause. */
const pagesAtOnce = 2000
/** Smaller copies show no progress. */
const pagesWorthTelling = 20_000

export async function copyDatabase(source: string, target: string): Promise<void> {
  const database = openReadOnly(source)
  try {
    database.exec("begin")
    database.prepare("select count(*) from sqlite_schema").get() // fixes the moment that is copied
    await backup(database, target, { rate: pagesAtOnce, progress: tell })
    database.exec("commit")
    forgetHeadFile(target)
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
    database.close()
  }
}

/** The file with the heads of all sessions is not copied, so the copy must not refer to it. */
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
