// `turnhouse backup FILE`: copies the log, and beside it the index of documents, each as of one moment.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { clusterOf } from "../../../app/cluster/cluster.ts"
import { loadContext } from "../../../app/context.ts"
import { backUp } from "../../../app/sessions/backup.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

const inPostgres =
  "the sessions of this home are in PostgreSQL, which this command does not copy. Use pg_dump, or a base backup with archived WAL for point-in-time recovery; back up the keys in the home separately"

export async function run(args: Args): Promise<number> {
  const file = args.first("name one file: turnhouse backup FILE")
  const context = await loadContext()
  const { home } = context
  if (clusterOf(context) !== undefined) throw usageFault(inPostgres)
  const copy = await backUp(home, file)
  if (args.flag("json")) writeJson(copy)
  else {
    printNotice(
      copy.bytes === undefined
        ? `There are no sessions yet: ${file} is not written.`
        : `wrote ${copy.bytes} bytes to ${file}`,
    )
    if (copy.knowledge !== undefined)
      printNotice(`wrote the documents, ${copy.knowledge.bytes} bytes, to ${copy.knowledge.file}`)
  }
  return exitCodes.done
}
